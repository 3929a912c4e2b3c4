import { hasMoreJsonValues } from '../../base/encoding/jsonTokens.ts'
import { UpstreamError } from '../parse/upstreamError.ts'

/** An error that a CometBFT node returned. */
export class CometError extends Error {
  override readonly name = 'CometError'
  readonly code: number

  constructor(code: number, message: string) {
    super(message)
    this.code = code
  }
}

export interface CometResponse {
  /** The id of the call; undefined if the reply names none, as an error before the request could be read. */
  readonly id: number | undefined
  readonly result: unknown
  readonly error: CometError | undefined
}

const maxTextShown = 500
/** The largest number of values in a reply. The results of the largest blocks, which may have more, are not parsed here. */
const maxJsonValues = 2_000_000

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const parseError = (error: unknown): CometError => {
  if (!isObject(error) || typeof error.code !== 'number')
    throw new UpstreamError('the error of a reply has no code')
  // The text of the cause is in `data`; `message` is the same for all causes (conversion rules, 2.1).
  const text = [error.data, error.message].find((value) => typeof value === 'string' && value !== '')
  return new CometError(error.code, String(text ?? 'no reason given').slice(0, maxTextShown))
}

/** Parses and checks the JSON-RPC envelope of a reply. */
export const parseResponse = (bytes: Buffer): CometResponse => {
  // A value has two bytes at least: a short reply cannot have too many.
  if (bytes.length > 2 * maxJsonValues && hasMoreJsonValues(bytes, maxJsonValues))
    throw new UpstreamError(`a reply has more than ${maxJsonValues} values`)
  let reply: unknown
  try {
    reply = JSON.parse(bytes.toString('utf8'))
  } catch {
    throw new UpstreamError('a reply is not JSON')
  }
  if (!isObject(reply) || reply.jsonrpc !== '2.0')
    throw new UpstreamError('a reply is not one of JSON-RPC 2.0')
  // CometBFT uses -1 for a request that it could not read.
  const id = typeof reply.id === 'number' && reply.id >= 0 ? reply.id : undefined
  if (reply.error !== undefined && reply.error !== null)
    return { id, result: undefined, error: parseError(reply.error) }
  if (reply.result === undefined) throw new UpstreamError('a reply has neither result nor error')
  return { id, result: reply.result, error: undefined }
}

/** Parses the URL of a node. CometBFT writes its address with `tcp://`. */
export const parseNodeUrl = (text: string): URL => {
  const url = new URL(text.includes('://') ? text.replace(/^tcp:/, 'http:') : `http://${text}`)
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw new TypeError(`${text} is not the address of a node: http:// or https:// is expected`)
  return url
}
