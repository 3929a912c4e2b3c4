import { decodeUtf8 } from '../../base/encoding/utf8.ts'
import { hasMoreJsonValues } from '../../base/json/jsonTokens.ts'
import { UpstreamError } from './upstreamError.ts'

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
  readonly error: CometError | UpstreamError | undefined
}

const maxTextShown = 500

/** How large the reply to a method may be, and how many JSON values it may have: a value takes a hundred bytes of memory. */
export interface ReplyLimits {
  readonly bytes: number
  readonly values: number
}

const kib = 1_024
const mib = kib * kib
/**
 * The most that a line or a request takes. It is above the limits of methods, so that a reply over its limit fails its
 * call and not the line.
 */
export const maxReplyBytes = 128 * mib
/** For blocks, results and events. The results of the largest blocks, which may have more, are not parsed here. */
const largest: ReplyLimits = { bytes: Number.POSITIVE_INFINITY, values: 2_000_000 }

/** The limits of methods, several times what a chain with hundreds of validators and full blocks has. */
const limitsByMethod: Readonly<Record<string, ReplyLimits>> = {
  block: largest,
  block_results: largest,
  status: { bytes: 256 * kib, values: 1_000 },
  consensus_params: { bytes: 64 * kib, values: 1_000 },
  net_info: { bytes: 4 * mib, values: 100_000 },
  validators: { bytes: mib, values: 10_000 },
  // The votes of ten thousand validators, and what each peer has of them.
  commit: { bytes: 4 * mib, values: 100_000 },
  dump_consensus_state: { bytes: 32 * mib, values: 500_000 },
  broadcast_tx_sync: { bytes: mib, values: 1_000 },
  // A hundred transactions at most.
  unconfirmed_txs: { bytes: 120 * mib, values: 1_000 },
  // The response of a module is one text; a proof has a few more.
  abci_query: { bytes: 120 * mib, values: 10_000 },
  tx: { bytes: 32 * mib, values: 500_000 },
}

/** For methods that nothing is known of. */
const other: ReplyLimits = { bytes: mib, values: 10_000 }

/** Returns the limits of the reply to a method, or without one of an event; transports may have a lower one for bytes. */
export const limitsOf = (method: string | undefined): ReplyLimits =>
  method === undefined ? largest : (limitsByMethod[method] ?? other)

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const parseError = (error: unknown): CometError => {
  if (!isObject(error) || typeof error.code !== 'number')
    throw new UpstreamError('the error of a reply has no code')
  // The text of the cause is in `data`; `message` is the same for all causes (conversion rules, 2.1).
  const text = [error.data, error.message].find((value) => typeof value === 'string' && value !== '')
  return new CometError(error.code, String(text ?? 'no reason given').slice(0, maxTextShown))
}

const leadingId = /^\s*\{\s*"jsonrpc"\s*:\s*"2\.0"\s*,\s*"id"\s*:\s*(\d{1,15})\s*[,}]/
const peekedBytes = 128

/** Returns the id of a reply that begins with it, as those of CometBFT do, without parsing the reply. */
export const peekId = (bytes: Uint8Array): number | undefined => {
  const [, id] = leadingId.exec(decodeUtf8(bytes.subarray(0, peekedBytes))) ?? []
  return id === undefined ? undefined : Number(id)
}

/** Parses a reply to a method; its values are counted before. */
const parseCounted = (bytes: Uint8Array, method: string | undefined, values: number): unknown => {
  // A value has two bytes at least: a short reply cannot have too many.
  if (bytes.length > 2 * values && hasMoreJsonValues(bytes, values))
    throw new UpstreamError(
      `a reply${method === undefined ? '' : ` to ${method}`} has more than ${values} values`,
    )
  try {
    return JSON.parse(decodeUtf8(bytes))
  } catch {
    throw new UpstreamError('a reply is not JSON')
  }
}

/** CometBFT uses -1 for a request that it could not read. */
const idOf = (reply: unknown): number | undefined =>
  isObject(reply) && typeof reply.id === 'number' && reply.id >= 0 ? reply.id : undefined

const toResponse = (reply: unknown): CometResponse => {
  if (!isObject(reply) || reply.jsonrpc !== '2.0')
    throw new UpstreamError('a reply is not one of JSON-RPC 2.0')
  const id = idOf(reply)
  if (reply.error !== undefined && reply.error !== null)
    return { id, result: undefined, error: parseError(reply.error) }
  if (reply.result === undefined) throw new UpstreamError('a reply has neither result nor error')
  return { id, result: reply.result, error: undefined }
}

/** Parses and checks the JSON-RPC envelope of a reply to a method. */
export const parseResponse = (
  bytes: Uint8Array,
  method?: string,
  { values }: ReplyLimits = limitsOf(method),
): CometResponse => toResponse(parseCounted(bytes, method, values))

/** A malformed reply to one call of a batch fails that call only. */
const toResponseOrError = (reply: unknown): CometResponse => {
  try {
    return toResponse(reply)
  } catch (error) {
    return { id: idOf(reply), result: undefined, error: error as UpstreamError }
  }
}

/** Parses the replies to a batch. CometBFT answers one of a single call with an object, and so it does one that it rejects. */
export const parseResponses = (
  bytes: Uint8Array,
  method: string,
  calls: number,
  { values }: ReplyLimits = limitsOf(method),
): readonly CometResponse[] => {
  const replies = parseCounted(bytes, method, values * calls)
  return Array.isArray(replies) ? replies.map(toResponseOrError) : [toResponse(replies)]
}

/** Parses the URL of a node. CometBFT writes its address with `tcp://`. */
export const parseNodeUrl = (text: string): URL => {
  const url = new URL(text.includes('://') ? text.replace(/^tcp:/, 'http:') : `http://${text}`)
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw new TypeError(`${text} is not the address of a node: http:// or https:// is expected`)
  return url
}
