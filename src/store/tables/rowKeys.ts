/** The location of a transaction as it is stored: the number of its block and its index in it. */
export interface TransactionLocation {
  readonly number: number
  readonly index: number
}

const numberBytes = 6
const indexBytes = 4

export const encodeNumberKey = (number: number): Buffer => {
  const key = Buffer.allocUnsafe(numberBytes)
  key.writeUIntBE(number, 0, numberBytes)
  return key
}

export const decodeNumber = (row: Uint8Array): number => asBuffer(row).readUIntBE(0, numberBytes)

export const encodePageKey = (number: number, page: number): Buffer => {
  const key = Buffer.allocUnsafe(numberBytes + indexBytes)
  key.writeUIntBE(number, 0, numberBytes)
  key.writeUInt32BE(page, numberBytes)
  return key
}

/** Encodes a location, in the same layout as a page's key. */
export const encodeLocation = ({ number, index }: TransactionLocation): Buffer => encodePageKey(number, index)

export const decodeLocation = (row: Uint8Array): TransactionLocation => {
  const bytes = asBuffer(row)
  return { number: bytes.readUIntBE(0, numberBytes), index: bytes.readUInt32BE(numberBytes) }
}

export const encodeNonceKey = (sender: Uint8Array, nonce: bigint): Buffer => {
  const key = Buffer.allocUnsafe(28)
  key.set(sender)
  key.writeBigUInt64BE(nonce, 20)
  return key
}

export const asBuffer = (bytes: Uint8Array): Buffer =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
