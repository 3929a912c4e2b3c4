import { SingleBar } from 'cli-progress'
import type { Logger } from '../../base/logging/log.ts'

const reportEveryMs = 5_000
/** The number of missing blocks below which progress is not reported. */
const worthReporting = 100

/** Reports the progress of the sync: a bar on a terminal, or a log line from time to time elsewhere. */
export class ProgressReporter {
  readonly #log: Logger
  readonly #terminal: boolean
  #bar: SingleBar | undefined
  #began: { readonly at: number; readonly block: number } | undefined
  #reportedAt = 0

  constructor(log: Logger, terminal: boolean) {
    this.#log = log
    this.#terminal = terminal
  }

  step(current: number, highest: number): void {
    const now = performance.now()
    if (current >= highest - 1) return this.#end(current)
    if (!this.#began) {
      if (highest - current < worthReporting) return
      this.#began = { at: now, block: current }
      this.#reportedAt = now
      if (this.#terminal) this.#startBar(current, highest)
    }
    const seconds = Math.max((now - this.#began.at) / 1_000, 0.001)
    const blocksPerSecond = Math.round((current - this.#began.block) / seconds)
    const secondsLeft = blocksPerSecond > 0 ? Math.ceil((highest - current) / blocksPerSecond) : undefined
    if (this.#bar) {
      this.#bar.setTotal(highest)
      this.#bar.update(current, {
        blocksPerSecond,
        left: secondsLeft === undefined ? '?' : `${secondsLeft} s`,
      })
    } else if (now - this.#reportedAt >= reportEveryMs) {
      this.#reportedAt = now
      this.#log.info({ block: current, highest, blocksPerSecond, secondsLeft }, 'catching up with the chain')
    }
  }

  stop(): void {
    this.#bar?.stop()
    this.#bar = undefined
  }

  #startBar(current: number, highest: number): void {
    this.#bar = new SingleBar({
      format: '{bar} {percentage}%, block {value} of {total}, {blocksPerSecond} blocks/s, {left} left',
    })
    this.#bar.start(highest, current, { blocksPerSecond: 0, left: '?' })
  }

  #end(current: number): void {
    if (!this.#began) return
    const seconds = (performance.now() - this.#began.at) / 1_000
    this.#log.info(
      { block: current, blocks: current - this.#began.block, seconds: Math.round(seconds) },
      'caught up with the chain',
    )
    this.#began = undefined
    this.stop()
  }
}
