/**
 * Thrown if no response arrived: no connection, a connection that broke, or a timeout. Another upstream may have one.
 */
export class TransportError extends Error {
  override readonly name = 'TransportError'
}

/** Thrown for a message that is larger than this transport takes. The connection is closed; another transport may take it. */
export class OversizedMessageError extends TransportError {}

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
    expire(new TransportError('the caller has gone away'))
  }
  if (signal?.aborted) queueMicrotask(onAbort)
  else signal?.addEventListener('abort', onAbort, { once: true })
  return () => {
    clearTimeout(timer)
    signal?.removeEventListener('abort', onAbort)
  }
}
