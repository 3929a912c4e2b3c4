import type { IncomingHttpHeaders } from 'node:http'

/**
 * Tells clients the height of the chain when their response is sent, which is never below that of its content, and has
 * them wait for one that they saw elsewhere.
 */
export interface AnswerHeights {
  current(): number
  /** Resolves with whether a height is reached in time; no client takes all of the places in which requests wait. */
  waitFor(height: number, client: object | string): Promise<boolean>
}

/** The header of answers with the height of the chain when they are sent. */
export const heightHeader = 'X-Perihelion-Height'

/** The header of requests with the height that their client has seen, as Node writes names. */
export const minHeightHeader = 'x-perihelion-min-height'

/** Returns the height that a client has seen; 0 if it does not say, NaN if what it says is not a height. */
export const minHeightOf = (headers: IncomingHttpHeaders): number => {
  const text = headers[minHeightHeader]
  if (text === undefined) return 0
  return typeof text === 'string' && /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN
}
