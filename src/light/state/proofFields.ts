import { emptyBytes } from '../../base/encoding/bytes.ts'

/** Thrown for bytes that are no proof, or that prove something else. */
export class ProofError extends Error {
  override readonly name = 'ProofError'
}

/** Heights and sizes of trees and versions are below 2^53 on every chain there is; other integers have 64 bits. */
const maxNumberBytes = 7
const maxVarintBytes = 10

/** Returns the place behind an integer. Encodings that are longer than needed are refused. */
const endOfVarint = (bytes: Uint8Array, from: number): number => {
  for (let at = from; at < from + maxVarintBytes; at++) {
    const byte = bytes[at]
    if (byte === undefined) throw new ProofError('it ends within a number')
    if (byte >= 0x80) continue
    if (byte === 0 && at > from) throw new ProofError('a number is longer than it has to be')
    return at + 1
  }
  throw new ProofError('a number is too large')
}

/** Reads an integer of up to 49 bits at a place. Returns it with the place behind it. */
export const readVarint = (bytes: Uint8Array, from: number): readonly [value: number, end: number] => {
  const end = endOfVarint(bytes, from)
  if (end - from > maxNumberBytes) throw new ProofError('a number is too large')
  let value = 0
  for (let at = end - 1; at >= from; at--) value = value * 128 + ((bytes[at] ?? 0) & 0x7f)
  return [value, end]
}

const readUint64 = (bytes: Uint8Array, from: number): readonly [value: bigint, end: number] => {
  const end = endOfVarint(bytes, from)
  let value = 0n
  for (let at = end - 1; at >= from; at--) value = (value << 7n) | BigInt((bytes[at] ?? 0) & 0x7f)
  return [BigInt.asUintN(64, value), end]
}

/** The fields of a protobuf message whose fields are integers and bytes. */
export class WireFields {
  readonly #integers = new Map<number, bigint>()
  readonly #bytes = new Map<number, Uint8Array[]>()

  /** Throws a `ProofError` for bytes that are no such message, or that have more than so many fields. */
  constructor(message: Uint8Array, maxFields: number) {
    let at = 0
    for (let count = 0; at < message.length; count++) {
      if (count >= maxFields) throw new ProofError('it has too many fields')
      const [tag, afterTag] = readVarint(message, at)
      const field = Math.floor(tag / 8)
      if (tag % 8 === 0) {
        const [number, end] = readUint64(message, afterTag)
        this.#integers.set(field, number)
        at = end
      } else if (tag % 8 === 2) {
        const [length, begin] = readVarint(message, afterTag)
        if (length > message.length - begin) throw new ProofError('it ends within a field')
        const value = message.subarray(begin, begin + length)
        at = begin + length
        const known = this.#bytes.get(field)
        if (known) known.push(value)
        else this.#bytes.set(field, [value])
      } else throw new ProofError('it has a field of an unknown kind')
    }
  }

  integer(field: number): bigint {
    return this.#integers.get(field) ?? 0n
  }

  /** Returns bytes or a text; empty if there are none. Throws if there are several. */
  bytes(field: number): Uint8Array {
    return this.message(field) ?? emptyBytes
  }

  /** Returns a message; undefined if there is none. Throws if there are several. */
  message(field: number): Uint8Array | undefined {
    const values = this.list(field)
    if (values.length > 1) throw new ProofError(`it has field ${field} twice`)
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
