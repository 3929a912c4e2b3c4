import { keccak256 } from '../../base/crypto/crypto.ts'
import { concatBytes } from '../../base/encoding/bytes.ts'
import { asBytes, asString, encodeAtom, type Path, typedDataError } from './typedData.ts'

/** Typed data as wallets took it before EIP-712: a list of named values, which have no domain. */
export interface NamedValue {
  readonly type: string
  readonly name: string
  readonly value: unknown
}

/**
 * Returns the hash that is signed: keccak256(keccak256("type name"…) ‖ keccak256(values…)), each packed as Solidity packs.
 * Throws a TypedDataError.
 */
export const typedDataV1Hash = (values: readonly NamedValue[]): Uint8Array => {
  const schema = values.map(({ type, name }) => Buffer.from(`${type} ${name}`))
  const packed = values.map(({ type, value }, index) => pack(type, value, [index, 'value']))
  return keccak256(concatBytes(keccak256(concatBytes(...schema)), keccak256(concatBytes(...packed))))
}

const pack = (type: string, value: unknown, path: Path): Uint8Array => {
  const array = /^([^[]+)\[(\d*)\]$/.exec(type)
  if (array !== null) return packArray(array[1] as string, array[2] as string, value, path)
  if (type === 'string') return Buffer.from(asString(value, path))
  if (type === 'bytes') return asBytes(value, path)
  const word = encodeAtom(type, value, path)
  const bytes = sizeOf(type)
  return type.startsWith('bytes') ? word.subarray(0, bytes) : word.subarray(32 - bytes)
}

/** Packs an array: its elements are whole words. */
const packArray = (item: string, length: string, value: unknown, path: Path): Uint8Array => {
  if (item === 'string' || item === 'bytes') throw typedDataError(path, `there is no packed array of ${item}`)
  if (!Array.isArray(value)) throw typedDataError(path, 'expected an array')
  if (length !== '' && value.length !== Number(length))
    throw typedDataError(path, `expected ${length} items, got ${value.length}`)
  const words = new Uint8Array(32 * value.length)
  for (const [index, each] of value.entries()) words.set(encodeAtom(item, each, [...path, index]), 32 * index)
  return words
}

/** Returns the number of bytes of a packed value whose type `encodeAtom` knows. */
const sizeOf = (type: string): number => {
  if (type === 'bool') return 1
  if (type === 'address') return 20
  const [, fixed, bits] = /^(?:bytes(\d+)|u?int(\d+))$/.exec(type) ?? []
  return fixed === undefined ? Number(bits) / 8 : Number(fixed)
}
