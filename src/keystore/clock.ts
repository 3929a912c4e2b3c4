/** Time that nobody can set back or forward. */
export interface Clock {
  /** In milliseconds, from a point that means nothing. */
  now(): number
  /** Runs it once after so long, and gives the way to call it off. */
  schedule(ms: number, run: () => void): () => void
}

/** Node's timers hold 31 bits of milliseconds, some 24 days; a longer wait would end at once. */
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
