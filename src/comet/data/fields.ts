import { fromBase64 } from '../../base/encoding/base64.ts'
import { emptyBytes } from '../../base/encoding/bytes.ts'
import { decodeHex } from '../../base/encoding/hex.ts'
import { UpstreamError } from './upstreamError.ts'

/**
 * Parsers for members of CometBFT's JSON, each with its type and limits. Integers of 64 bits are text, those of 32 bits
 * are numbers; an absent list is `null`; hashes are hex, other bytes are base64.
 */

export type JsonObject = Readonly<Record<string, unknown>>

const minInt64 = -(1n << 63n)
const maxInt64 = (1n << 63n) - 1n

export const parseObject = (value: unknown, where: string): JsonObject => {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new UpstreamError(`${where} is not an object`)
  return value as JsonObject // an object, as checked above
}

export const parseList = (value: unknown, where: string, maxLength: number): readonly unknown[] => {
  if (value === null || value === undefined) return []
  if (!Array.isArray(value)) throw new UpstreamError(`${where} is not a list`)
  if (value.length > maxLength)
    throw new UpstreamError(`${where} has ${value.length} members, the limit is ${maxLength}`)
  return value
}

export const parseText = (value: unknown, where: string, maxLength: number): string => {
  if (typeof value !== 'string') throw new UpstreamError(`${where} is not text`)
  if (value.length > maxLength)
    throw new UpstreamError(`${where} has ${value.length} characters, the limit is ${maxLength}`)
  return value
}

const isInteger = /^(?:0|-?[1-9][0-9]{0,19})$/

/** Parses an integer of 64 bits, which is text. */
export const parseInt64 = (value: unknown, where: string, min = minInt64, max = maxInt64): bigint => {
  if (typeof value !== 'string' || !isInteger.test(value))
    throw new UpstreamError(`${where} is not an integer in text`)
  const integer = BigInt(value)
  if (integer < min || integer > max) throw new UpstreamError(`${where} is ${value}, out of its range`)
  return integer
}

/** Parses an unsigned integer of 32 bits, which is a number. */
export const parseUint32 = (value: unknown, where: string): number => {
  if (typeof value !== 'number' || !Number.isInteger(value) || value < 0 || value > 0xffff_ffff)
    throw new UpstreamError(`${where} is not an unsigned integer of 32 bits`)
  return value === 0 ? 0 : value // normalizes -0
}

/** Parses a height; heights begin at 1. */
export const parseHeight = (value: unknown, where: string): number =>
  Number(parseInt64(value, where, 1n, BigInt(Number.MAX_SAFE_INTEGER)))

const isHex = /^(?:[0-9a-fA-F]{2})*$/

/** Parses hex without 0x, with one of these lengths in bytes. */
export const parseHex = (value: unknown, where: string, ...lengths: readonly number[]): Uint8Array => {
  const text = value === null || value === undefined ? '' : parseText(value, where, 256)
  if (!isHex.test(text)) throw new UpstreamError(`${where} is not hex`)
  if (!lengths.includes(text.length / 2))
    throw new UpstreamError(`${where} has ${text.length / 2} bytes instead of ${lengths.join(' or ')}`)
  return decodeHex(text)
}

/** Parses base64; `null` is empty. */
export const parseBase64 = (value: unknown, where: string, maxBytes: number): Uint8Array => {
  if (value === null || value === undefined) return emptyBytes
  const bytes = fromBase64(parseText(value, where, Math.ceil(maxBytes / 3) * 4))
  if (bytes === undefined) throw new UpstreamError(`${where} is not base64`)
  return bytes
}
