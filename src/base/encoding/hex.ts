/** Encodes bytes as DATA: `0x` and two lower-case digits for each byte. */
export const toHex = (bytes: Uint8Array): string =>
  `0x${Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex')}`

const isHexData = /^0x(?:[0-9a-fA-F]{2})*$/

/** Decodes DATA and throws for anything else. Values of clients are checked by their schema first. */
export const fromHex = (text: string): Uint8Array => {
  if (!isHexData.test(text)) throw new TypeError(`not DATA: ${text.slice(0, 80)}`)
  return new Uint8Array(Buffer.from(text.slice(2), 'hex'))
}

/** Encodes a non-negative integer as QUANTITY: the most compact form, in which zero is `0x0`. */
export const toQuantity = (value: bigint | number): string => `0x${value.toString(16)}`
