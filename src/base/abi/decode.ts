import { type AbiParameter, type AbiType, headSize, isDynamic, typeName } from './type.ts'

/** A value with the name and the type that it was given. */
export interface Decoded {
  readonly name: string
  readonly type: string
  readonly value: bigint | boolean | string | readonly Decoded[]
}

/** How bytes are written; a browser and Node have ways of their own. */
type ToHex = (bytes: Uint8Array) => string

/** The most items of one list. Data can claim more than it has, and nobody reads more. */
const maxItems = 10_000

class Reader {
  readonly toHex: ToHex
  readonly #data: Uint8Array
  #left = maxItems
  /** Offsets of many items can lead to the same bytes, which would then fill the memory. */
  #bytesLeft: number

  constructor(data: Uint8Array, toHex: ToHex) {
    this.#data = data
    this.toHex = toHex
    this.#bytesLeft = 4 * data.length
  }

  word(at: number): Uint8Array {
    if (at < 0 || at + 32 > this.#data.length) throw new RangeError('the data ends too soon')
    return this.#data.subarray(at, at + 32)
  }

  integer(at: number): bigint {
    return BigInt(this.toHex(this.word(at)))
  }

  /** A length or an offset, which lies inside the data. */
  size(at: number): number {
    const value = this.integer(at)
    if (value > BigInt(this.#data.length)) throw new RangeError('the data ends too soon')
    return Number(value)
  }

  bytes(at: number, length: number): Uint8Array {
    if (at + length > this.#data.length) throw new RangeError('the data ends too soon')
    this.#bytesLeft -= length
    if (this.#bytesLeft < 0) throw new RangeError('the same data too often')
    return this.#data.subarray(at, at + length)
  }

  /** Counts items, since a list of empty items would cost nothing of the data. */
  take(count: number): void {
    this.#left -= count
    if (this.#left < 0) throw new RangeError('too many items')
  }
}

const readFields = (fields: readonly AbiParameter[], reader: Reader, base: number): readonly Decoded[] => {
  reader.take(fields.length)
  let at = base
  return fields.map(({ name, type }) => {
    const place = isDynamic(type) ? base + reader.size(at) : at
    at += headSize(type)
    return { name, type: typeName(type), value: readValue(type, reader, place) }
  })
}

const readValue = (type: AbiType, reader: Reader, at: number): Decoded['value'] => {
  switch (type.kind) {
    case 'uint':
      return BigInt.asUintN(type.bits, reader.integer(at))
    case 'int':
      return BigInt.asIntN(type.bits, reader.integer(at))
    case 'bool':
      return reader.integer(at) !== 0n
    case 'address':
      return reader.toHex(reader.word(at).subarray(12))
    case 'function':
      return reader.toHex(reader.word(at).subarray(0, 24))
    case 'fixedBytes':
      return reader.toHex(reader.word(at).subarray(0, type.size))
    case 'bytes':
      return reader.toHex(reader.bytes(at + 32, reader.size(at)))
    case 'string':
      return new TextDecoder().decode(reader.bytes(at + 32, reader.size(at)))
    case 'tuple':
      return readFields(type.fields, reader, at)
    case 'array': {
      const length = type.length ?? reader.size(at)
      reader.take(length)
      const items = Array.from({ length }, (_, index) => ({
        name: `${index}`,
        type: type.item,
        indexed: false,
      }))
      return readFields(items, reader, type.length === undefined ? at + 32 : at)
    }
  }
}

/** Returns the values of encoded parameters; undefined if the data does not hold them. */
export const decodeAbi = (
  parameters: readonly AbiParameter[],
  data: Uint8Array,
  toHex: ToHex,
): readonly Decoded[] | undefined => {
  try {
    return readFields(parameters, new Reader(data, toHex), 0)
  } catch {
    return undefined
  }
}
