import { fromHex } from '../../base/encoding/hex.ts'
import { invalidParams } from '../lightError.ts'

/** Decoders of what callers give, with what nodes take. */

export type BlockParam = { readonly hash: Uint8Array } | { readonly number: number | 'latest' | 'pending' }

const wrong = (at: number, wanted: string): Error => invalidParams(`parameter ${at + 1}: expected ${wanted}`)

const bytesOf = (value: unknown, at: number, length: number, wanted: string): Uint8Array => {
  if (typeof value !== 'string' || value.length !== 2 + 2 * length || !/^0x[0-9a-fA-F]*$/.test(value))
    throw wrong(at, wanted)
  return fromHex(value)
}

export const addressAt = (params: readonly unknown[], at: number): Uint8Array =>
  bytesOf(params[at], at, 20, 'an address: 0x and 40 hex digits')

export const hashAt = (params: readonly unknown[], at: number): Uint8Array =>
  bytesOf(params[at], at, 32, 'a 32-byte hash: 0x and 64 hex digits')

export const dataAt = (params: readonly unknown[], at: number): Uint8Array => {
  const value = params[at]
  if (typeof value !== 'string' || !/^0x(?:[0-9a-fA-F]{2})*$/.test(value))
    throw wrong(at, 'DATA: 0x and two hex digits a byte')
  return fromHex(value)
}

/** A storage key of any width up to 32 bytes. */
export const slotOf = (value: unknown, at: number): Uint8Array => {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0)
    return slotOf(`0x${value.toString(16)}`, at)
  if (typeof value !== 'string' || !/^0x[0-9a-fA-F]{0,64}$/.test(value))
    throw wrong(at, 'a storage key: 0x and at most 64 hex digits')
  return fromHex(`0x${value.slice(2).padStart(64, '0')}`)
}

export const quantityAt = (params: readonly unknown[], at: number): number => {
  const value = params[at]
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return value
  if (typeof value !== 'string' || !/^0x(?:0|[1-9a-fA-F][0-9a-fA-F]{0,15})$/.test(value))
    throw wrong(at, 'a QUANTITY: 0x and hex digits without leading zeros')
  return Number(value)
}

const tags: ReadonlyMap<unknown, BlockParam> = new Map<unknown, BlockParam>([
  ['latest', { number: 'latest' }],
  ['safe', { number: 'latest' }],
  ['finalized', { number: 'latest' }],
  ['pending', { number: 'pending' }],
  ['earliest', { number: 0 }],
])

const isHeight = /^0x(?:0|[1-9a-fA-F][0-9a-fA-F]{0,14}|[1-7][0-9a-fA-F]{15})$/

const blockOf = (value: unknown, at: number): BlockParam => {
  const tag = tags.get(value)
  if (tag !== undefined) return tag
  if (typeof value === 'string' && value.length === 66)
    return { hash: bytesOf(value, at, 32, 'a block hash') }
  if (typeof value === 'string' && isHeight.test(value)) return { number: Number(value) }
  throw wrong(at, 'a block number (QUANTITY), a tag or a block hash')
}

/** A block by number, tag, hash, or an object with one of them; the newest where it is missing. */
export const blockAt = (params: readonly unknown[], at: number): BlockParam => {
  const value = params[at]
  if (value === undefined || value === null) return { number: 'latest' }
  if (typeof value !== 'object') return blockOf(value, at)
  const { blockNumber, blockHash } = value as { blockNumber?: unknown; blockHash?: unknown }
  if ((blockNumber ?? undefined) === undefined) return { hash: bytesOf(blockHash, at, 32, 'a block hash') }
  if ((blockHash ?? undefined) !== undefined) throw wrong(at, 'exactly one of blockNumber and blockHash')
  return blockOf(blockNumber, at)
}

export const objectAt = (params: readonly unknown[], at: number): Readonly<Record<string, unknown>> =>
  objectOf(params[at], at)

/** Returns a part of the parameter at an index that must be an object. */
export const objectOf = (value: unknown, at: number): Readonly<Record<string, unknown>> => {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw wrong(at, 'an object')
  return value as Readonly<Record<string, unknown>> // as checked above
}

export const listOf = (value: unknown, at: number, max: number): readonly unknown[] => {
  if (!Array.isArray(value) || value.length > max) throw wrong(at, `an array of at most ${max}`)
  return value
}
