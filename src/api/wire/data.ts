import { z } from 'zod'
import { fromHex, toHex } from '../../base/encoding/hex.ts'
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

const bytes = (schema: z.ZodString): WireType<Uint8Array> => ({
  schema: decodedString(schema, fromHex),
  encode: toHex,
})

export const Data = bytes(dataText)
/** DATA, or null if nothing was found. */
export const DataOrNull: WireType<Uint8Array | null> = {
  schema: z.union([dataText.transform(fromHex), z.null()]),
  encode: (value) => (value === null ? null : toHex(value)),
}
export const DataListOrNull: WireType<readonly Uint8Array[] | null> = {
  schema: z.union([z.array(dataText.transform(fromHex)), z.null()]),
  encode: (value) => value?.map(toHex) ?? null,
}
export const Address = bytes(addressText)
export const Hash = bytes(hashText)
export const Bytes32 = bytes(word32Text)
export const Bytes8 = bytes(bytes8Text)
