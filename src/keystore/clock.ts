/** A monotonic clock, which changes of the system time do not affect. */
export interface Clock {
  /** Returns the time in milliseconds from an arbitrary start. */
  now(): number
  /** Runs the callback once after a delay and returns the function that cancels it. */
  schedule(ms: number, run: () => void): () => void
}

/** The longest delay of Node's timers: 31 bits of milliseconds, about 24 days. A longer one would end at once. */
const maxTimerMs = 2 ** 31 - 1

export const monotonicClock: Clock = {
  now: () => performance.now(),
  schedule: (ms, run) => {
    let timer: NodeJS.Timeout
    const arm = (leftMs: number): void => {
      const step = Math.min(leftMs, maxTimerMs)
      timer = setTimeout(() => (leftMs > step ? arm(leftMs - step) : run()), step)
      timer.unref()
    }
    arm(ms)
    return () => clearTimeout(timer)
  },
}
