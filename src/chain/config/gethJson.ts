import { fromHex } from '../../base/encoding/hex.ts'

/** Parsers for the values of geth's JSON files: integers as numbers, decimal or hex strings; bytes as hex. */

export class GenesisError extends Error {
  override readonly name = 'GenesisError'
}

export type JsonObject = Readonly<Record<string, unknown>>

/**
 * Parses JSON with long integers as strings, because a total difficulty has more digits than a number keeps.
 */
export const parseExactJson = (text: string): unknown =>
  JSON.parse(
    text.replace(/"(?:[^"\\]|\\.)*"|-?\d{16,}(?![\d.eE])/g, (token) =>
      token.startsWith('"') ? token : `"${token}"`,
    ),
  )

export const parseObject = (value: unknown, where: string): JsonObject => {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new GenesisError(`${where} is not an object`)
  return value as JsonObject // an object that is neither null nor an array has string keys
}

/** Parses an integer; undefined if the member is missing or null. */
export const parseInteger = (value: unknown, where: string): bigint | undefined => {
  if (value === undefined || value === null) return undefined
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return BigInt(value)
  if (typeof value === 'string' && /^(?:0x[0-9a-fA-F]*|\d+)$/.test(value))
    return value === '0x' ? 0n : BigInt(value)
  throw new GenesisError(`${where} is not an integer: ${JSON.stringify(value)}`)
}

const prefixed = (text: string): string =>
  text.startsWith('0x') || text.startsWith('0X') ? text.slice(2) : text

export const parseBytes = (value: unknown, where: string): Uint8Array | undefined => {
  if (value === undefined || value === null) return undefined
  if (typeof value === 'string' && /^(?:[0-9a-fA-F]{2})*$/.test(prefixed(value)))
    return fromHex(`0x${prefixed(value)}`)
  throw new GenesisError(`${where} is not hex: ${JSON.stringify(value)}`)
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
