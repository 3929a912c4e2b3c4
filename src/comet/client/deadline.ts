import { TransportError } from '../data/transportErrors.ts'

/** The deadlines of signals. Each is held with its signal, because nothing else holds the source of a combined signal. */
const deadlines = new WeakMap<AbortSignal, { readonly endsAt: number; readonly timeout: AbortSignal }>()

/** Returns a signal with a deadline in addition. Who is asked sees how much time is left, and leaves some for another way. */
export const withDeadline = (signal: AbortSignal, milliseconds: number): AbortSignal => {
  const timeout = AbortSignal.timeout(milliseconds)
  const limited = AbortSignal.any([signal, timeout])
  deadlines.set(limited, { endsAt: Date.now() + milliseconds, timeout })
  return limited
}

/** Returns the time until the deadline of a signal; undefined if it has none. */
export const timeLeft = (signal: AbortSignal): number | undefined => {
  const deadline = deadlines.get(signal)
  return deadline && Math.max(0, deadline.endsAt - Date.now())
}

/** Returns whether a deadline has ended what the signal is for, and not a caller that left. */
export const isTimeUp = (signal: AbortSignal): boolean =>
  signal.aborted && (signal.reason as Error | undefined)?.name === 'TimeoutError'

/**
 * Returns the signal for a question that has this time by itself. It is aborted a moment later: a question that ends by
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
    expire(new TransportError(`no answer within ${milliseconds} ms`))
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
