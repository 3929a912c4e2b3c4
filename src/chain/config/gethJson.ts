import { decodeHex } from '../../base/encoding/hex.ts'

/** Parsers for the values of geth's JSON files: integers as numbers, decimal or hex strings; bytes as hex. */

export class GenesisError extends Error {
  override readonly name = 'GenesisError'
}

export type JsonObject = Readonly<Record<string, unknown>>

/** Returns a value for a message, cut where it is long. */
const show = (value: unknown): string => {
  const text = JSON.stringify(typeof value === 'string' ? value.slice(0, maxShown + 1) : value) ?? 'undefined'
  return text.length > maxShown ? `${text.slice(0, maxShown)}…` : text
}
const maxShown = 80

export const parseObject = (value: unknown, where: string): JsonObject => {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new GenesisError(`${where} is not an object`)
  return value as JsonObject // an object that is neither null nor an array has string keys
}

/** Longer than 256 bits in any form; to read text of any length as an integer could take hours. */
const maxIntegerLength = 200

/** Parses an integer; undefined if the member is missing or null. */
export const parseInteger = (value: unknown, where: string): bigint | undefined => {
  if (value === undefined || value === null) return undefined
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return BigInt(value)
  if (typeof value === 'string' && /^(?:0x[0-9a-fA-F]*|\d+)$/.test(value)) {
    if (value.length > maxIntegerLength) throw new GenesisError(`${where} is too large: ${show(value)}`)
    return value === '0x' ? 0n : BigInt(value)
  }
  if (typeof value === 'number' ? value < 0 : typeof value === 'string' && /^-\d+$/.test(value))
    throw new GenesisError(`${where} is negative: ${show(value)}`)
  throw new GenesisError(`${where} is not an integer: ${show(value)}`)
}

const prefixed = (text: string): string =>
  text.startsWith('0x') || text.startsWith('0X') ? text.slice(2) : text

export const parseBytes = (value: unknown, where: string): Uint8Array | undefined => {
  if (value === undefined || value === null) return undefined
  // Not one pattern for all of it: a repeated group takes stack for each repetition.
  if (typeof value === 'string' && value.length % 2 === 0 && !/[^0-9a-fA-F]/.test(prefixed(value)))
    return new Uint8Array(decodeHex(prefixed(value)))
  throw new GenesisError(`${where} is not hex: ${show(value)}`)
}

/**
 * Parses bytes of a fixed length. With `isPadded`, shorter values are padded on the left, as geth does for
 * storage.
 */
export const parseFixedBytes = (
  value: unknown,
  length: number,
  where: string,
  isPadded = false,
): Uint8Array | undefined => {
  const bytes = parseBytes(value, where)
  if (bytes === undefined || bytes.length === length) return bytes
  if (!isPadded || bytes.length > length)
    throw new GenesisError(`${where} has ${bytes.length} bytes instead of ${length}`)
  const padded = new Uint8Array(length)
  padded.set(bytes, length - bytes.length)
  return padded
}
