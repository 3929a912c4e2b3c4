import { fromBase64 } from '../../base/base64.ts'
import { noBytes } from '../../base/bytes.ts'
import { UpstreamFault } from './upstreamFault.ts'

/**
 * Members of CometBFT's JSON, each of the type that its version has and within a limit. Integers of 64 bits are text,
 * those of 32 are numbers; an absent list is `null`; hashes are hex, other bytes base64.
 */

export type JsonObject = Readonly<Record<string, unknown>>

const minInt64 = -(1n << 63n)
const maxInt64 = (1n << 63n) - 1n

export const objectOf = (value: unknown, where: string): JsonObject => {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new UpstreamFault(`${where} is not an object`)
  return value as JsonObject // any object is one
}

export const listOf = (value: unknown, where: string, maxLength: number): readonly unknown[] => {
  if (value === null || value === undefined) return []
  if (!Array.isArray(value)) throw new UpstreamFault(`${where} is not a list`)
  if (value.length > maxLength)
    throw new UpstreamFault(`${where} has ${value.length} members, the limit is ${maxLength}`)
  return value
}

export const textOf = (value: unknown, where: string, maxLength: number): string => {
  if (typeof value !== 'string') throw new UpstreamFault(`${where} is not text`)
  if (value.length > maxLength)
    throw new UpstreamFault(`${where} has ${value.length} characters, the limit is ${maxLength}`)
  return value
}

const isInteger = /^(?:0|-?[1-9][0-9]{0,19})$/

/** An integer of 64 bits, as text. */
export const int64Of = (value: unknown, where: string, min = minInt64, max = maxInt64): bigint => {
  if (typeof value !== 'string' || !isInteger.test(value))
    throw new UpstreamFault(`${where} is not an integer in text`)
  const integer = BigInt(value)
  if (integer < min || integer > max) throw new UpstreamFault(`${where} is ${value}, out of its range`)
  return integer
}

/** An unsigned integer of 32 bits, as a number. */
export const uint32Of = (value: unknown, where: string): number => {
  if (typeof value !== 'number' || !Number.isInteger(value) || value < 0 || value > 0xffff_ffff)
    throw new UpstreamFault(`${where} is not an unsigned integer of 32 bits`)
  return value === 0 ? 0 : value // -0 is a number too
}

/** A height of the chain: heights begin at 1. */
export const heightOf = (value: unknown, where: string): number =>
  Number(int64Of(value, where, 1n, BigInt(Number.MAX_SAFE_INTEGER)))

const isHex = /^(?:[0-9a-fA-F]{2})*$/

/** Hex without 0x, of one of these lengths in bytes. */
export const hexOf = (value: unknown, where: string, ...lengths: readonly number[]): Uint8Array => {
  const text = value === null || value === undefined ? '' : textOf(value, where, 256)
  if (!isHex.test(text)) throw new UpstreamFault(`${where} is not hex`)
  if (!lengths.includes(text.length / 2))
    throw new UpstreamFault(`${where} has ${text.length / 2} bytes instead of ${lengths.join(' or ')}`)
  return new Uint8Array(Buffer.from(text, 'hex'))
}

/** Base64; `null` is no bytes. */
export const base64Of = (value: unknown, where: string, maxBytes: number): Uint8Array => {
  if (value === null || value === undefined) return noBytes
  const bytes = fromBase64(textOf(value, where, Math.ceil(maxBytes / 3) * 4))
  if (bytes === undefined) throw new UpstreamFault(`${where} is not base64`)
  return bytes
}
