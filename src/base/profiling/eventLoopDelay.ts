import { createHistogram } from 'node:perf_hooks'
import { CallTree, type Stack } from './callTree.ts'
import { startProfiler, stopProfiler } from './cpuProfile.ts'
import { DurationStats } from './durationStats.ts'
import { ThreadInspector } from './threadInspector.ts'

/** The interval of the timer that measures the delay. */
const tickMs = 5
/** The accuracy of timers. */
const noiseMs = 1
/** How long CPU samples are collected before delays are attributed to stacks. */
const windowMs = 10_000

interface Delay {
  /** Microseconds of the monotonic clock, which the samples use too. */
  readonly from: number
  readonly to: number
}

const nowMs = (): number => Number(process.hrtime.bigint()) / 1e6

/**
 * Measures the delay of the event loop of the main thread, and finds from CPU samples what it was busy with. As in Go's
 * block profile, a delay of `rate` nanoseconds or more is always recorded, and a shorter one with a probability of its
 * share of `rate`.
 */
export class EventLoopDelayMonitor {
  readonly #rate: number
  readonly #since = new Date()
  readonly #delays = createHistogram()
  readonly #durations = new DurationStats()
  #window: Delay[] = []
  #inspector: ThreadInspector | undefined
  #timer: NodeJS.Timeout | undefined
  #dueAt = 0
  #windowEnd = 0
  /** The queue of work on the samples, which runs serially. */
  #work: Promise<void> = Promise.resolve()

  constructor(rate: number) {
    this.#rate = rate
  }

  async start(): Promise<void> {
    this.#inspector = await ThreadInspector.open(async (thread) => {
      if (thread.name === 'main') await startProfiler(thread)
    })
    this.#windowEnd = nowMs() + windowMs
    this.#tick()
  }

  /** Returns the measurements so far. */
  async report() {
    // The timer may be due, and a delay that lasts until now counts.
    this.#measure()
    await this.#rotateWindow()
    const { count, min, max, mean, stddev } = this.#delays
    const ms = (nanoseconds: number): number => nanoseconds / 1e6
    return {
      what: 'delays of the event loop in milliseconds, and where the main thread was meanwhile',
      from: this.#since.toISOString(),
      to: new Date().toISOString(),
      rate: this.#rate,
      delay:
        count === 0
          ? null
          : {
              count,
              min: ms(min),
              mean: ms(mean),
              deviation: ms(stddev),
              max: ms(max),
              percentiles: Object.fromEntries(
                [50, 75, 90, 99, 99.9].map((percentile) => [
                  percentile,
                  ms(this.#delays.percentile(percentile)),
                ]),
              ),
            },
      stacks: this.#durations.rows().map(({ key, ...figures }) => ({ ...figures, stack: key.split('\n') })),
    }
  }

  async stop(): Promise<void> {
    clearTimeout(this.#timer)
    await this.#work
    this.#inspector?.close()
    this.#inspector = undefined
  }

  #tick(): void {
    this.#dueAt = nowMs() + tickMs
    this.#timer = setTimeout(() => {
      this.#measure()
      if (nowMs() > this.#windowEnd) void this.#rotateWindow().finally(() => this.#inspector && this.#tick())
      else this.#tick()
    }, tickMs)
    this.#timer.unref()
  }

  #measure(): void {
    const now = nowMs()
    const late = now - this.#dueAt
    if (late <= 0) return
    this.#dueAt = now
    this.#delays.record(Math.max(1, Math.round(late * 1e6)))
    if (late > noiseMs && Math.random() * this.#rate < late * 1e6) {
      this.#window.push({ from: (now - late) * 1000, to: now * 1000 })
    }
  }

  /** Attributes the delays of the window to stacks and starts the next window. */
  #rotateWindow(): Promise<void> {
    this.#work = this.#work.then(() => this.#attribute())
    return this.#work
  }

  async #attribute(): Promise<void> {
    const [main] = this.#inspector?.threads ?? []
    if (main === undefined) return
    const tree = new CallTree(await stopProfiler(main))
    const window = this.#window
    this.#window = []
    await startProfiler(main)
    this.#windowEnd = nowMs() + windowMs
    for (const { from, to } of window) {
      this.#durations.add(describe(tree.hottest(from, to)), (to - from) / 1000)
    }
    // The time of this attribution is not counted as a delay.
    this.#dueAt = nowMs() + tickMs
  }
}

/** Returns the text of a stack. Without a sample, the system ran other processes. */
const describe = (stack: Stack): string => (stack.length === 0 ? '(not on the CPU)' : stack.join('\n'))
