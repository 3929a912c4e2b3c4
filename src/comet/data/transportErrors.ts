import { parseRetryAfter } from '../../base/http/retryAfter.ts'

/**
 * Thrown if no response arrived: no connection, a connection that broke, or a timeout. Another upstream may have one.
 */
export class TransportError extends Error {
  override readonly name = 'TransportError'
  /** The code of the system's error, or `ETIMEDOUT` after a timeout; undefined for other failures. */
  readonly code: string | undefined

  constructor(message: string, code?: string) {
    super(message)
    this.code = code
  }
}

/** Thrown for a message that is larger than this transport takes. The connection is closed; another transport may take it. */
export class OversizedMessageError extends TransportError {}

/** Thrown for a call that the node, or who stands in front of it, rejected because there were too many. */
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
  const asked = parseRetryAfter(retryAfter, now)
  return new RateLimitError(Math.min(maxPauseMs, asked || defaultPauseMs))
}

/** What the application says instead of a response, with gRPC's code. What says that nobody answers is a `TransportError`. */
export class GrpcError extends Error {
  override readonly name = 'GrpcError'
  readonly code: number

  constructor(code: number, message: string) {
    super(message)
    this.code = code
  }
}
