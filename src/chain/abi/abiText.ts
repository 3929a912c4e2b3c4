import { toBigInt } from '../../base/encoding/bytes.ts'
import { toHex } from '../../base/encoding/hex.ts'
import { toChecksumAddress } from '../address.ts'

/**
 * Returns values that are encoded by Solidity's ABI as texts for people; undefined if the data ends before them, or if one
 * is of a type that is not known here (arrays and structs).
 */
export const abiValuesAsText = (
  types: readonly string[],
  data: Uint8Array,
): readonly string[] | undefined => {
  const values: string[] = []
  for (const [index, type] of types.entries()) {
    const value = valueAsText(type, data, 32 * index)
    if (value === undefined) return undefined
    values.push(value)
  }
  return values
}

const valueAsText = (type: string, data: Uint8Array, at: number): string | undefined => {
  const word = wordAt(data, at)
  if (word === undefined) return undefined
  if (type === 'string' || type === 'bytes') {
    const bytes = dynamicAt(data, toBigInt(word))
    return type === 'string' ? bytes && Buffer.from(bytes).toString() : bytes && toHex(bytes)
  }
  if (type === 'bool') return word.some((byte) => byte !== 0) ? 'true' : 'false'
  if (type === 'address') return toChecksumAddress(word.subarray(12))
  if (/^uint\d*$/.test(type)) return toBigInt(word).toString()
  if (/^int\d*$/.test(type)) return BigInt.asIntN(256, toBigInt(word)).toString()
  const [, size] = /^bytes(\d{1,2})$/.exec(type) ?? []
  return size === undefined ? undefined : toHex(word.subarray(0, Number(size)))
}

const wordAt = (data: Uint8Array, at: number): Uint8Array | undefined =>
  at + 32 > data.length ? undefined : data.subarray(at, at + 32)

/** Returns the bytes of a value whose length stands before it. */
const dynamicAt = (data: Uint8Array, offset: bigint): Uint8Array | undefined => {
  if (offset > BigInt(data.length)) return undefined
  const from = Number(offset)
  const length = wordAt(data, from)
  if (length === undefined || toBigInt(length) > BigInt(data.length - from - 32)) return undefined
  return data.subarray(from + 32, from + 32 + Number(toBigInt(length)))
}
