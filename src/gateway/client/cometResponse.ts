import { UpstreamError } from '../parse/upstreamError.ts'

/** A CometBFT node answered that it will not. */
export class CometError extends Error {
  override readonly name = 'CometError'
  readonly code: number

  constructor(code: number, message: string) {
    super(message)
    this.code = code
  }
}

export interface CometResponse {
  /** Undefined: the reply names no call, as an error before one could be read. */
  readonly id: number | undefined
  readonly result: unknown
  readonly error: CometError | undefined
}

const maxTextShown = 500

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const parseError = (error: unknown): CometError => {
  if (!isObject(error) || typeof error.code !== 'number')
    throw new UpstreamError('the error of a reply has no code')
  // The text of the cause is in `data`; `message` is the same for all of them (conversion rules, 2.1).
  const text = [error.data, error.message].find((value) => typeof value === 'string' && value !== '')
  return new CometError(error.code, String(text ?? 'no reason given').slice(0, maxTextShown))
}

/** The envelope of JSON-RPC, checked. */
export const parseResponse = (bytes: Buffer): CometResponse => {
  let reply: unknown
  try {
    reply = JSON.parse(bytes.toString('utf8'))
  } catch {
    throw new UpstreamError('a reply is not JSON')
  }
  if (!isObject(reply) || reply.jsonrpc !== '2.0')
    throw new UpstreamError('a reply is not one of JSON-RPC 2.0')
  // -1 is what CometBFT says of a request that it could not read.
  const id = typeof reply.id === 'number' && reply.id >= 0 ? reply.id : undefined
  if (reply.error !== undefined && reply.error !== null)
    return { id, result: undefined, error: parseError(reply.error) }
  if (reply.result === undefined) throw new UpstreamError('a reply has neither result nor error')
  return { id, result: reply.result, error: undefined }
}

/** `tcp://` is how CometBFT writes its own address. */
export const parseNodeUrl = (text: string): URL => {
  const url = new URL(text.includes('://') ? text.replace(/^tcp:/, 'http:') : `http://${text}`)
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw new TypeError(`${text} is not the address of a node: http:// or https:// is expected`)
  return url
}
