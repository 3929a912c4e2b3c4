import { DurationStats } from './durationStats.ts'

/** Ends a wait, whatever its result; only the first call counts. */
export type EndWait = () => void

/** The recorder that code which waits for locks is given. */
export interface LockWaitRecorder {
  /** Starts a wait for the lock of this name and returns the function that ends it. */
  startWait(lock: string): EndWait
}

/** A recorder that records nothing. */
export const noopWaitRecorder: LockWaitRecorder = { startWait: () => () => {} }

const stackSeparator = '\n'

/** The waits of a period: all of them by lock, and for one in `fraction` the stack of the waiting code. */
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

/**
 * Statistics of waits for locks and for permits of workers. They are always on, because waits are rare and counting
 * is cheap.
 */
export class LockWaitStats implements LockWaitRecorder {
  readonly #always = new WaitPeriod(0)
  readonly #periods = new Set([this.#always])
  /** The number of current waits by lock. */
  readonly #waiting = new Map<string, number>()

  startWait(lock: string): EndWait {
    const startedAt = performance.now()
    const periods = [...this.#periods].map((period) => ({ period, takesStack: period.takesStack() }))
    const stack = periods.some(({ takesStack }) => takesStack) ? captureCallers() : ''
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

  /** Keeps the stack of one wait in `fraction`; 0 for none. */
  setFraction(fraction: number): void {
    this.#always.fraction = fraction
  }

  /** Returns the statistics since the start. */
  report() {
    return this.#describe(this.#always)
  }

  /**
   * Starts a separate period in which every stack is kept; the returned function ends it and returns its statistics.
   */
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

/** Returns the callers of `startWait`, innermost first. */
const captureCallers = (): string => {
  const holder: { stack?: string } = {}
  Error.captureStackTrace(holder, LockWaitStats.prototype.startWait)
  const [, ...frames] = (holder.stack ?? '').split('\n')
  return frames.map((frame) => frame.trim().replace(/^at /, '')).join(stackSeparator)
}
