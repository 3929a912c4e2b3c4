import type { Logger } from '../../base/log.ts'

export interface SequencerOptions {
  /** Milliseconds between blocks; undefined: a block as soon as there is work. */
  readonly blockTimeMs: number | undefined
  /** With a beat: blocks come without transactions too. */
  readonly createEmptyBlocks: boolean
}

export interface SequencerDependencies {
  /** Whether a block made now would hold a transaction. */
  readonly hasWork: () => boolean
  /** Transactions that wait for a block. */
  readonly waiting: () => number
  /** Makes one block and resolves when it is committed, with the number of its transactions. */
  readonly makeBlock: () => Promise<number>
  readonly log: Logger
}

/** Pause after a block that could not be made, so that a lasting fault does not spin. */
const retryMs = 1000
/** The longest after a block that the next one is held back for others to join it; twice the time of the last else. */
const maxGatherMs = 20

/** Sequences blocks in process: one at a time, on demand or to a beat. */
export class Sequencer {
  readonly #options: SequencerOptions
  readonly #dependencies: SequencerDependencies
  #timer: NodeJS.Timeout | undefined
  #gathering: NodeJS.Timeout | undefined
  #running: Promise<void> | undefined
  /** The last block: its transactions, and until when the next one is held back for as many. */
  #last = { transactions: 0, gatherUntil: 0 }
  #isStarted = false

  constructor(options: SequencerOptions, dependencies: SequencerDependencies) {
    this.#options = options
    this.#dependencies = dependencies
  }

  /** Whether every transaction gets its block at once. */
  get isOnDemand(): boolean {
    return this.#options.blockTimeMs === undefined
  }

  start(): void {
    this.#isStarted = true
    if (this.#options.blockTimeMs === undefined) this.wake()
    else this.#schedule(this.#options.blockTimeMs)
  }

  /** Resolves when the block under way, if any, is committed; no further one begins. */
  async stop(): Promise<void> {
    this.#isStarted = false
    clearTimeout(this.#timer)
    this.#endGathering()
    await this.#running
  }

  /** There may be work: on demand a block begins now or soon, or right after the one under way. */
  wake(): void {
    if (!this.#isStarted || !this.isOnDemand || this.#running !== undefined || this.#timer !== undefined)
      return
    const gatherMs = this.#gatherMs()
    if (gatherMs > 0) this.#gathering ??= setTimeout(() => this.#beginIfWork(), gatherMs)
    else this.#beginIfWork()
  }

  /**
   * Those whose transactions the last block held have their answers just now, and those who send one after the other
   * are about to send again: a block for all of them costs little more than one for the first. A few milliseconds
   * after the last block nobody is waited for any more.
   */
  #gatherMs(): number {
    const { transactions, gatherUntil } = this.#last
    const isWorthWaiting = transactions > 1 && this.#dependencies.waiting() < transactions
    return isWorthWaiting ? gatherUntil - performance.now() : 0
  }

  #endGathering(): void {
    clearTimeout(this.#gathering)
    this.#gathering = undefined
  }

  #beginIfWork(): void {
    this.#endGathering()
    if (this.#dependencies.hasWork()) this.#begin()
  }

  #schedule(ms: number): void {
    this.#timer = setTimeout(() => {
      this.#timer = undefined
      if (this.isOnDemand) this.wake()
      else this.#beat()
    }, ms)
  }

  #beat(): void {
    if (this.#options.createEmptyBlocks || this.#dependencies.hasWork()) this.#begin()
    else this.#schedule(this.#options.blockTimeMs as number) // only reached with a beat
  }

  #begin(): void {
    const startedAt = performance.now()
    this.#running = this.#dependencies
      .makeBlock()
      .then((transactions) => {
        const now = performance.now()
        this.#last = { transactions, gatherUntil: now + Math.min(2 * (now - startedAt), maxGatherMs) }
        this.#after(startedAt)
      })
      .catch((error: unknown) => {
        this.#dependencies.log.error({ err: error }, 'a block could not be made')
        this.#running = undefined
        if (this.#isStarted) this.#schedule(retryMs)
      })
  }

  #after(startedAt: number): void {
    this.#running = undefined
    if (!this.#isStarted) return
    const { blockTimeMs } = this.#options
    // The beat counts from the beginning of a block, so that its making does not stretch it.
    if (blockTimeMs === undefined) this.wake()
    else this.#schedule(Math.max(0, blockTimeMs - (performance.now() - startedAt)))
  }
}
