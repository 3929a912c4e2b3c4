/** Where a transaction stands. */
export interface Place {
  readonly number: number
  readonly index: number
}

const numberBytes = 6
const indexBytes = 4

export const numberKey = (number: number): Buffer => {
  const key = Buffer.allocUnsafe(numberBytes)
  key.writeUIntBE(number, 0, numberBytes)
  return key
}

export const readNumber = (row: Uint8Array): number => asBuffer(row).readUIntBE(0, numberBytes)

export const pageKey = (number: number, page: number): Buffer => {
  const key = Buffer.allocUnsafe(numberBytes + indexBytes)
  key.writeUIntBE(number, 0, numberBytes)
  key.writeUInt32BE(page, numberBytes)
  return key
}

/** The same layout as a page's key. */
export const encodePlace = ({ number, index }: Place): Buffer => pageKey(number, index)

export const decodePlace = (row: Uint8Array): Place => {
  const bytes = asBuffer(row)
  return { number: bytes.readUIntBE(0, numberBytes), index: bytes.readUInt32BE(numberBytes) }
}

export const nonceKey = (sender: Uint8Array, nonce: bigint): Buffer => {
  const key = Buffer.allocUnsafe(28)
  key.set(sender)
  key.writeBigUInt64BE(nonce, 20)
  return key
}

export const asBuffer = (bytes: Uint8Array): Buffer =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
