/**
 * Thrown if no response arrived: no connection, a connection that broke, or a timeout. Another upstream may have one.
 */
export class TransportError extends Error {
  override readonly name = 'TransportError'
}

/** Thrown for a message that is larger than this transport takes. The connection is closed; another transport may take it. */
export class OversizedMessageError extends TransportError {}

/** Thrown for a call that the node, or who stands in front of it, refused because there were too many. */
export class RateLimitError extends TransportError {
  /** How long the node asks to be left alone. */
  readonly pauseMs: number

  constructor(pauseMs: number) {
    super(`the node wants fewer calls, and none for ${Math.round(pauseMs / 1_000)} s`)
    this.pauseMs = pauseMs
  }
}

const defaultPauseMs = 1_000
const maxPauseMs = 300_000

/** Returns whether a status says that there were too many calls: 429, or 503 with the time to wait. */
export const isRateLimit = (status: number | undefined, retryAfter: string | undefined): boolean =>
  status === 429 || (status === 503 && retryAfter !== undefined)

/** Returns the error for status 429 with the header `retry-after`: seconds, or a date. */
export const rateLimitError = (retryAfter: string | undefined, now = Date.now()): RateLimitError => {
  const text = retryAfter?.trim() ?? ''
  const asked = /^\d+$/.test(text) ? Number(text) * 1_000 : Date.parse(text) - now
  return new RateLimitError(Math.min(maxPauseMs, asked > 0 ? asked : defaultPauseMs))
}

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
