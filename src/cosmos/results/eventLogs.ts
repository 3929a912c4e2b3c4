import { fromBase64 } from '../../base/encoding/base64.ts'
import { toHex } from '../../base/encoding/hex.ts'
import type { Log } from '../../chain/block/receiptLog.ts'

/** Thrown for a result that holds impossible values. */
export class ResultError extends Error {
  override readonly name = 'ResultError'
}

const isAddress = /^0x[0-9a-fA-F]{40}$/
const isTopic = /^0x[0-9a-fA-F]{64}$/
const maxTopics = 4

const hexBytes = (text: string, form: RegExp, what: string): Uint8Array => {
  if (!form.test(text)) throw new ResultError(`${what} of a log is not well formed`)
  return new Uint8Array(Buffer.from(text.slice(2), 'hex'))
}

interface NativeLog {
  readonly address: string
  readonly topics: readonly string[]
  readonly data: Uint8Array
}

/**
 * Converts a log. Its location in the chain is not used, because some families omit it and others count per
 * transaction.
 */
export const toLog = ({ address, topics, data }: NativeLog): Log => {
  if (topics.length > maxTopics) throw new ResultError(`a log has ${topics.length} topics`)
  return {
    address: hexBytes(address, isAddress, 'the address'),
    topics: topics.map((topic) => hexBytes(topic, isTopic, 'a topic')),
    data,
  }
}

const isTextList = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((entry) => typeof entry === 'string')

const jsonOf = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Formats a log as the attribute of a `tx_log` event. Its location is omitted: it is that of the result. */
export const formatLog = ({ address, topics, data }: Log): string =>
  JSON.stringify({
    address: toHex(address),
    topics: topics.map(toHex),
    data: Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString('base64'),
  })

/** Parses the attribute of a `tx_log` event: a log as JSON, with its data in base64. */
export const parseLog = (text: string): Log => {
  const value = jsonOf(text)
  if (typeof value !== 'object' || value === null) throw new ResultError('a log of an event is not JSON')
  const { address, topics, data } = value as Readonly<Record<string, unknown>> // an object, as checked above
  const bytes = typeof data === 'string' ? fromBase64(data) : undefined
  const isEmpty = data === undefined || data === null
  if (typeof address !== 'string' || !(isTextList(topics) || topics === null || topics === undefined))
    throw new ResultError('a log of an event has no address or topics')
  if (bytes === undefined && !isEmpty) throw new ResultError('the data of a log of an event is not base64')
  return toLog({ address, topics: topics ?? [], data: bytes ?? new Uint8Array(0) })
}
