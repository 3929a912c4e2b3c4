/** A field of an encoded message. */
export interface WireField {
  readonly number: number
  /** The whole field with its tag. */
  readonly bytes: Uint8Array
  /** The content of a field with a length; undefined for a number. */
  readonly value: Uint8Array | undefined
}

/** Messages with more fields are not split: what is split has a field for each message of a transaction. */
const maxFields = 10_000

/** Splits a message into its fields, which are views of its bytes; undefined if it is malformed or has too many. */
export const readFields = (message: Uint8Array): WireField[] | undefined => {
  const fields: WireField[] = []
  let at = 0
  const varint = (): number => {
    let value = 0
    for (let scale = 1; at < message.length; scale *= 128) {
      const byte = message[at++] as number
      value += (byte & 0x7f) * scale
      if (byte < 0x80) return value
      if (scale > 2 ** 56) break
    }
    return Number.NaN
  }
  while (at < message.length) {
    const start = at
    const tag = varint()
    const wireType = tag % 8
    let value: Uint8Array | undefined
    if (wireType === 0) varint()
    else if (wireType === 1) at += 8
    else if (wireType === 5) at += 4
    else if (wireType === 2) {
      const length = varint()
      if (!(length <= message.length - at)) return undefined
      value = message.subarray(at, at + length)
      at += length
    } else return undefined
    if (at > message.length || fields.length === maxFields) return undefined
    fields.push({ number: Math.floor(tag / 8), bytes: message.subarray(start, at), value })
  }
  return fields
}
