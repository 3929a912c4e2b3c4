import { WireCursor } from './wireCursor.ts'

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
  const cursor = new WireCursor(message)
  while (cursor.at < message.length) {
    const start = cursor.at
    const tag = cursor.varint(message.length)
    const wireType = tag % 8
    let value: Uint8Array | undefined
    if (wireType === 0) cursor.varint(message.length)
    else if (wireType === 1) cursor.at += 8
    else if (wireType === 5) cursor.at += 4
    else if (wireType === 2) {
      const length = cursor.varint(message.length)
      if (!(length <= message.length - cursor.at)) return undefined
      value = message.subarray(cursor.at, cursor.at + length)
      cursor.at += length
    } else return undefined
    if (cursor.at > message.length || fields.length === maxFields) return undefined
    fields.push({ number: Math.floor(tag / 8), bytes: message.subarray(start, cursor.at), value })
  }
  return fields
}
