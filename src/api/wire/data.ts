import { z } from 'zod'
import { decodeFixedHex, fromHex, toHex } from '../../base/encoding/hex.ts'
import { decodedString, patternString, type WireType } from '../../rpc/wireType.ts'

const fixedLengthData = (bytes: number, id: string, wanted: string): z.ZodString =>
  patternString(
    new RegExp(`^0x[0-9a-fA-F]{${bytes * 2}}$`),
    `${wanted}: 0x and ${bytes * 2} hex digits`,
  ).meta({
    id,
    title: wanted,
  })

export const dataText = patternString(/^0x(?:[0-9a-fA-F]{2})*$/, 'DATA: 0x and two hex digits a byte').meta({
  id: 'Data',
  title: 'DATA',
})
export const addressText = fixedLengthData(20, 'Address', 'an address')
export const hashText = fixedLengthData(32, 'Hash', 'a 32-byte hash')
export const word32Text = fixedLengthData(32, 'Bytes32', '32 bytes')
export const bytes8Text = fixedLengthData(8, 'Bytes8', '8 bytes')
export const bloomText = fixedLengthData(256, 'Bloom', 'a bloom filter')

const bytes = (
  schema: z.ZodString,
  decodeUsual: (text: string) => Uint8Array | undefined,
): WireType<Uint8Array> => ({
  schema: decodedString(schema, fromHex, decodeUsual),
  encode: toHex,
  encodeJson: (value) => `"${toHex(value)}"`,
  decodeUsual: (given) => (typeof given === 'string' ? decodeUsual(given) : undefined),
})

const fixedBytes = (schema: z.ZodString, length: number): WireType<Uint8Array> =>
  bytes(schema, (text) => decodeFixedHex(text, length))

/** Up to this length DATA is decoded character by character, which is faster for short ones. */
const shortLength = 2 + 2 * 260

/** Decodes DATA of any length; returns undefined for anything else. */
const decodeData = (text: string): Uint8Array | undefined => {
  const length = (text.length - 2) >> 1
  if (text.length <= shortLength) return decodeFixedHex(text, length)
  if (text.length % 2 !== 0 || !text.startsWith('0x')) return undefined
  // Node.js ends at the first pair that is not of digits, but takes only the low byte of each character: ı (U+0131) is 1.
  if (Buffer.byteLength(text) !== text.length) return undefined
  const bytes = Buffer.from(text.slice(2), 'hex')
  if (bytes.length !== length) return undefined
  // Short ones are in memory that Node.js shares between buffers.
  return bytes.length === bytes.buffer.byteLength ? new Uint8Array(bytes.buffer) : new Uint8Array(bytes)
}

export const Data = bytes(dataText, decodeData)
/** DATA, or null if nothing was found. */
export const DataOrNull: WireType<Uint8Array | null> = {
  schema: z.union([dataText.transform(fromHex), z.null()]),
  encode: (value) => (value === null ? null : toHex(value)),
}
export const DataListOrNull: WireType<readonly Uint8Array[] | null> = {
  schema: z.union([z.array(dataText.transform(fromHex)), z.null()]),
  encode: (value) => value?.map(toHex) ?? null,
}
export const Address = fixedBytes(addressText, 20)
export const Hash = fixedBytes(hashText, 32)
export const Bytes32 = fixedBytes(word32Text, 32)
export const Bytes8 = fixedBytes(bytes8Text, 8)
