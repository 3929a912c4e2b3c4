/** A call in this many may be made twice at once. */
const callsPerHedge = 10
const maxSaved = 20

/** Limits second calls to a part of all, so that a chain that is slow as a whole does not get twice the load. */
export class HedgeBudget {
  #saved = maxSaved / 2
  #used = 0

  /** The number of calls that were made twice. */
  get used(): number {
    return this.#used
  }

  onCall(): void {
    this.#saved = Math.min(maxSaved, this.#saved + 1 / callsPerHedge)
  }

  take(): boolean {
    if (this.#saved < 1) return false
    this.#saved--
    this.#used++
    return true
  }
}

/** One attempt of a call. It ends early if the signal is aborted. */
export type Attempt<T> = (signal: AbortSignal) => Promise<T>

/** Made once: an abort without a reason makes one each time. */
const over = new Error('the call is over')

export interface RaceOptions {
  readonly signal: AbortSignal
  /** How long the first attempt may take before another one runs beside it; undefined: none does. */
  readonly hedgeAfterMs: number | undefined
  /** What the attempts that lost are aborted with; without it as if their caller had left. */
  readonly lossReason?: Error
}

/**
 * Runs attempts one after the other until one succeeds; a slow one gets a second one beside it. `next` returns what is
 * tried next, for a second one only if that is allowed; undefined if nothing is left. `onFailure` throws an error that
 * ends everything, and `giveUp` returns what the failures mean together. The attempts that lost are aborted.
 */
export const raceAttempts = async <T>(
  next: (isSecond: boolean) => Attempt<T> | undefined,
  onFailure: (error: unknown) => void,
  giveUp: () => Error,
  { signal, hedgeAfterMs, lossReason }: RaceOptions,
): Promise<T> =>
  new Promise<T>((resolve, reject) => {
    // `AbortSignal.any` would cost more than all else here, for each call.
    const ending = new AbortController()
    const onAbort = (): void => ending.abort(signal.reason)
    if (signal.aborted) onAbort()
    else signal.addEventListener('abort', onAbort, { once: true })
    let running = 0
    let isOver = false
    let timer: NodeJS.Timeout | undefined
    const finish = (settle: () => void): void => {
      if (isOver) return
      isOver = true
      clearTimeout(timer)
      signal.removeEventListener('abort', onAbort)
      settle()
      // Also what an attempt that has ended began and left.
      ending.abort(running > 0 ? lossReason : over)
    }
    const start = (isSecond: boolean): boolean => {
      const attempt = next(isSecond)
      if (attempt === undefined) return false
      running++
      attempt(ending.signal).then(
        (value) => {
          running--
          finish(() => resolve(value))
        },
        (error: unknown) => {
          running--
          if (isOver) return
          try {
            onFailure(error)
          } catch (fatal) {
            return finish(() => reject(fatal))
          }
          if (running === 0) startOrEnd()
        },
      )
      return true
    }
    const startOrEnd = (): void => {
      try {
        if (!start(false)) finish(() => reject(giveUp()))
      } catch (error) {
        finish(() => reject(error))
      }
    }
    startOrEnd()
    if (isOver || hedgeAfterMs === undefined) return
    timer = setTimeout(() => {
      if (!isOver && running === 1) start(true)
    }, hedgeAfterMs)
    timer.unref()
  })
