import { emptyBytes, maxUint64 } from '../bytes.ts'

/** The reading half of protobuf by hand; `protoWriter.ts` says where it is used. */

/** A position in the bytes of a protobuf message. */
export class WireCursor {
  readonly #bytes: Uint8Array
  at = 0

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes
  }

  /** Reads a varint of at most 10 bytes; above 2^53 the value is inexact. Returns NaN if it does not end. */
  varint(end: number): number {
    let value = 0
    let scale = 1
    for (let count = 0; count < 10 && this.at < end; count++) {
      const byte = this.#bytes[this.at++] as number
      value += (byte & 0x7f) * scale
      if (byte < 0x80) return value
      scale *= 128
    }
    return Number.NaN
  }
}

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
    if (wireType === 0) {
      if (Number.isNaN(cursor.varint(message.length))) return undefined
    } else if (wireType === 1) cursor.at += 8
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

/** Makes the error for bytes that are rejected. */
export type Fail = (why: string) => Error

/** Heights and sizes of trees and versions are below 2^53 on every chain there is; other integers have 64 bits. */
const maxNumberBytes = 7
const maxVarintBytes = 10

/** Returns the place behind an integer. Encodings that are longer than needed are rejected. */
const endOfVarint = (bytes: Uint8Array, from: number, fail: Fail): number => {
  for (let at = from; at < from + maxVarintBytes; at++) {
    const byte = bytes[at]
    if (byte === undefined) throw fail('it ends within a number')
    if (byte >= 0x80) continue
    if (byte === 0 && at > from) throw fail('a number is longer than needed')
    return at + 1
  }
  throw fail('a number is too large')
}

/** Reads an integer of up to 49 bits at a place. Returns it with the place behind it. */
export const readVarint = (
  bytes: Uint8Array,
  from: number,
  fail: Fail,
): readonly [value: number, end: number] => {
  const end = endOfVarint(bytes, from, fail)
  if (end - from > maxNumberBytes) throw fail('a number is too large')
  let value = 0
  for (let at = end - 1; at >= from; at--) value = value * 128 + ((bytes[at] ?? 0) & 0x7f)
  return [value, end]
}

const readUint64 = (bytes: Uint8Array, from: number, fail: Fail): readonly [value: bigint, end: number] => {
  const end = endOfVarint(bytes, from, fail)
  let value = 0n
  for (let at = end - 1; at >= from; at--) value = (value << 7n) | BigInt((bytes[at] ?? 0) & 0x7f)
  if (value > maxUint64) throw fail('a number is too large')
  return [value, end]
}

/** The fields of a message whose fields are integers and bytes, each encoded in the only way that is as short as can be. */
export class StrictFields {
  readonly #integers = new Map<number, bigint>()
  readonly #bytes = new Map<number, Uint8Array[]>()
  readonly #fail: Fail

  /** Throws what `fail` makes for bytes that are no such message, or that have more than so many fields. */
  constructor(message: Uint8Array, maxFields: number, fail: Fail) {
    this.#fail = fail
    let at = 0
    for (let count = 0; at < message.length; count++) {
      if (count >= maxFields) throw fail('it has too many fields')
      const [tag, afterTag] = readVarint(message, at, fail)
      const field = Math.floor(tag / 8)
      if (tag % 8 === 0) {
        const [number, end] = readUint64(message, afterTag, fail)
        if (this.#integers.has(field)) throw fail(`it has field ${field} twice`)
        this.#integers.set(field, number)
        at = end
      } else if (tag % 8 === 2) {
        const [length, begin] = readVarint(message, afterTag, fail)
        if (length > message.length - begin) throw fail('it ends within a field')
        const value = message.subarray(begin, begin + length)
        at = begin + length
        const known = this.#bytes.get(field)
        if (known) known.push(value)
        else this.#bytes.set(field, [value])
      } else throw fail('it has a field of an unknown kind')
    }
  }

  integer(field: number): bigint {
    return this.#integers.get(field) ?? 0n
  }

  /** Returns bytes or a text; empty if there are none. Throws if there are several. */
  bytes(field: number): Uint8Array {
    return this.message(field) ?? emptyBytes
  }

  /** Returns the message in a field, or undefined if the field is missing. Throws if the field is repeated. */
  message(field: number): Uint8Array | undefined {
    const values = this.list(field)
    if (values.length > 1) throw this.#fail(`it has field ${field} twice`)
    return values[0]
  }

  list(field: number): readonly Uint8Array[] {
    return this.#bytes.get(field) ?? []
  }

  /** Returns the numbers of all fields. */
  numbers(): readonly number[] {
    return [...this.#integers.keys(), ...this.#bytes.keys()]
  }
}
