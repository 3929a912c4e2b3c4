import { DurationStats } from './durationStats.ts'

/** Called when the wait is over, however it ended; only the first call counts. */
export type EndWait = () => void

/** What code that waits for its turn is given. */
export interface LockWaitRecorder {
  /** Somebody begins to wait for what is called `lock`. */
  startWait(lock: string): EndWait
}

/** For code that nobody measures. */
export const noopWaitRecorder: LockWaitRecorder = { startWait: () => () => {} }

const stackSeparator = '\n'

/** Waits over a time: all of them by lock, and of one in `fraction` the stack of who waited. */
class WaitPeriod {
  readonly since = new Date()
  readonly locks = new DurationStats()
  readonly stacks = new DurationStats()
  fraction: number

  constructor(fraction: number) {
    this.fraction = fraction
  }

  takesStack(): boolean {
    return this.fraction > 0 && Math.random() * this.fraction < 1
  }
}

/** How long work waits for locks and for permits of workers: counted always, since a wait is rare and a count cheap. */
export class LockWaitStats implements LockWaitRecorder {
  readonly #always = new WaitPeriod(0)
  readonly #periods = new Set([this.#always])
  /** How many wait now, by lock. */
  readonly #waiting = new Map<string, number>()

  startWait(lock: string): EndWait {
    const startedAt = performance.now()
    const periods = [...this.#periods].map((period) => ({ period, takesStack: period.takesStack() }))
    const stack = periods.some(({ takesStack }) => takesStack) ? callersOf() : ''
    let isOver = false
    this.#count(lock, 1)
    return () => {
      if (isOver) return
      isOver = true
      this.#count(lock, -1)
      const milliseconds = performance.now() - startedAt
      for (const { period, takesStack } of periods) {
        period.locks.add(lock, milliseconds)
        if (takesStack) period.stacks.add(lock + stackSeparator + stack, milliseconds)
      }
    }
  }

  /** Of one wait in so many the stack is kept; 0: of none. */
  setFraction(fraction: number): void {
    this.#always.fraction = fraction
  }

  /** Since the start. */
  report() {
    return this.#describe(this.#always)
  }

  /** Starts a time of its own, in which every stack is kept; what is returned ends it. */
  measure(): () => ReturnType<LockWaitStats['report']> {
    const period = new WaitPeriod(1)
    this.#periods.add(period)
    return () => {
      this.#periods.delete(period)
      return this.#describe(period)
    }
  }

  #count(lock: string, change: number): void {
    this.#waiting.set(lock, (this.#waiting.get(lock) ?? 0) + change)
  }

  #describe({ since, fraction, locks, stacks }: WaitPeriod) {
    return {
      what: 'waits for locks and for permits of workers, in milliseconds',
      from: since.toISOString(),
      to: new Date().toISOString(),
      fraction,
      locks: locks.rows().map(({ key, ...figures }) => ({ lock: key, ...figures })),
      waiting: Object.fromEntries(this.#waiting),
      stacks: stacks.rows().map(({ key, ...figures }) => {
        const [lock, ...stack] = key.split(stackSeparator)
        return { lock, ...figures, stack }
      }),
    }
  }
}

/** Who called `begin`, from the innermost function out. */
const callersOf = (): string => {
  const holder: { stack?: string } = {}
  Error.captureStackTrace(holder, LockWaitStats.prototype.startWait)
  const [, ...frames] = (holder.stack ?? '').split('\n')
  return frames.map((frame) => frame.trim().replace(/^at /, '')).join(stackSeparator)
}
