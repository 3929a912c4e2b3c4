import { concatBytes, emptyBytes } from '../../base/encoding/bytes.ts'

/**
 * The few protobuf encodings that CometBFT hashes. Zero and empty values are omitted, so a hash does not depend on how
 * a library encodes them.
 */

export const varint = (value: bigint): Uint8Array => {
  const bytes: number[] = []
  let rest = BigInt.asUintN(64, value)
  while (rest > 0x7fn) {
    bytes.push(Number(rest & 0x7fn) | 0x80)
    rest >>= 7n
  }
  bytes.push(Number(rest))
  return Uint8Array.from(bytes)
}

export const integerField = (field: number, value: bigint): Uint8Array =>
  value === 0n ? emptyBytes : concatBytes(Uint8Array.of(field << 3), varint(value))

/** Encodes an integer of 64 bits in a field of fixed length. */
export const fixedField = (field: number, value: bigint): Uint8Array => {
  if (value === 0n) return emptyBytes
  const bytes = new Uint8Array(9)
  bytes[0] = (field << 3) | 1
  new DataView(bytes.buffer).setBigInt64(1, value, true)
  return bytes
}

/** Encodes an embedded message, which is present even if it is empty. */
export const messageField = (field: number, bytes: Uint8Array): Uint8Array =>
  concatBytes(Uint8Array.of((field << 3) | 2), varint(BigInt(bytes.length)), bytes)

export const bytesField = (field: number, bytes: Uint8Array): Uint8Array =>
  bytes.length === 0 ? emptyBytes : messageField(field, bytes)
