import { withAnySignal } from '../../base/abort.ts'
import { TransportError } from '../data/transportErrors.ts'

/** When the time of a signal is up. */
const deadlines = new WeakMap<AbortSignal, number>()

/**
 * Runs `work` with a signal that has a deadline in addition. Who is asked sees how much time is left, and leaves some for
 * another way.
 */
export const withDeadline = <T>(
  signal: AbortSignal,
  timeoutMs: number,
  work: (limited: AbortSignal) => Promise<T>,
): Promise<T> =>
  withAnySignal(
    [signal],
    (limited) => {
      deadlines.set(limited, Date.now() + timeoutMs)
      return work(limited)
    },
    { timeoutMs },
  )

/** Returns the time until the deadline of a signal; undefined if it has none. */
export const timeLeft = (signal: AbortSignal): number | undefined => {
  const endsAt = deadlines.get(signal)
  if (endsAt === undefined) return undefined
  // A timer may fire a moment before the clock says so.
  return isTimeUp(signal) ? 0 : Math.max(0, endsAt - Date.now())
}

/** Returns whether a deadline has ended what the signal is for, and not a caller that left. */
export const isTimeUp = (signal: AbortSignal): boolean =>
  signal.aborted && (signal.reason as Error | undefined)?.name === 'TimeoutError'

/**
 * Returns the signal for a request that has this time by itself. It is aborted a moment later: a request that ends by
 * itself tells why, and the node that did not answer is charged with it.
 */
export const afterTimeout = (milliseconds: number): AbortSignal => AbortSignal.timeout(milliseconds + 1_000)

/** Calls `expire` once, when the caller aborts or the time is up. Returns a function that cancels this. */
export const onTimeoutOrAbort = (
  signal: AbortSignal | undefined,
  milliseconds: number,
  expire: (error: TransportError) => void,
): (() => void) => {
  const timer = setTimeout(() => {
    signal?.removeEventListener('abort', onAbort)
    expire(new TransportError(`no response within ${milliseconds} ms`, 'ETIMEDOUT'))
  }, milliseconds)
  const onAbort = (): void => {
    clearTimeout(timer)
    const { reason } = signal as AbortSignal // it is the one that was aborted
    expire(reason instanceof TransportError ? reason : new TransportError('the caller has gone away'))
  }
  if (signal?.aborted) queueMicrotask(onAbort)
  else signal?.addEventListener('abort', onAbort, { once: true })
  return () => {
    clearTimeout(timer)
    signal?.removeEventListener('abort', onAbort)
  }
}
