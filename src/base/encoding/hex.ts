import { decodeHex, encodeHex } from '#platform/binary'

/** Digits alone, without 0x. */
export { decodeHex, encodeHex }

/** Encodes bytes as DATA: `0x` and two lower-case digits for each byte. */
export const toHex = (bytes: Uint8Array): string => `0x${encodeHex(bytes)}`

const isHexData = /^0x(?:[0-9a-fA-F]{2})*$/

/** Decodes DATA and throws for anything else. Values of clients are checked by their schema first. */
export const fromHex = (text: string): Uint8Array => {
  if (!isHexData.test(text)) throw new TypeError(`not DATA: ${text.slice(0, 80)}`)
  return decodeHex(text.slice(2))
}

/** The values of digits by their codes; -1 for other characters. */
const digitValues = Int8Array.from({ length: 128 }, (_, code) => {
  const digit = Number.parseInt(String.fromCharCode(code), 16)
  return Number.isNaN(digit) ? -1 : digit
})

/** Decodes DATA of so many bytes; returns undefined for anything else. For addresses and hashes: it looks at a text once. */
export const decodeFixedHex = (text: string, length: number): Uint8Array | undefined => {
  if (text.length !== 2 + length * 2 || !text.startsWith('0x')) return undefined
  const bytes = new Uint8Array(length)
  return decodeHexInto(text, bytes, 0, length) ? bytes : undefined
}

/** Decodes DATA of so many bytes into a part of `bytes`; returns false for anything else, and leaves anything there. */
export const decodeHexInto = (text: string, bytes: Uint8Array, at: number, length: number): boolean => {
  if (text.length !== 2 + length * 2 || !text.startsWith('0x')) return false
  let codes = 0
  let values = 0
  for (let to = at, from = 2; from < text.length; to++, from += 2) {
    const high = text.charCodeAt(from)
    const low = text.charCodeAt(from + 1)
    codes |= high | low
    const value = ((digitValues[high & 127] as number) << 4) | (digitValues[low & 127] as number)
    values |= value
    bytes[to] = value
  }
  return codes < 128 && values >= 0
}

/** Encodes a non-negative integer as QUANTITY: the most compact form, in which zero is `0x0`. */
export const toQuantity = (value: bigint | number): string => `0x${value.toString(16)}`
