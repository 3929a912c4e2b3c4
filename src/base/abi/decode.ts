import { type AbiParameter, type AbiType, headSize, isDynamic, typeName } from './type.ts'

/** A value with the name and the type that it was given. */
export interface Decoded {
  readonly name: string
  readonly type: string
  readonly value: bigint | boolean | string | readonly Decoded[]
}

/** How bytes are written; a browser and Node have ways of their own. */
type ToHex = (bytes: Uint8Array) => string

/** The most items of all values together, where the caller sets no other limit: nobody reads more. */
const defaultMaxItems = 10_000

/** A text keeps all of its characters, U+FEFF at its start too. */
const textDecoder = new TextDecoder('utf-8', { ignoreBOM: true })

class Reader {
  readonly toHex: ToHex
  readonly #data: Uint8Array
  #itemsLeft: number
  /** Offsets of many items can lead to the same bytes, which would then fill the memory. */
  #bytesLeft: number

  constructor(data: Uint8Array, toHex: ToHex, maxItems: number) {
    this.#data = data
    this.toHex = toHex
    this.#itemsLeft = maxItems
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

  /** Counts an item: many offsets can lead to the same items, and empty ones take nothing of the data. */
  take(): void {
    if (--this.#itemsLeft < 0) throw new RangeError('too many items')
  }
}

type Member = Pick<AbiParameter, 'name' | 'type'>

/** The items of a list one by one: the data may claim far more than there are. */
function* itemsOf(type: AbiType, length: number): Generator<Member> {
  for (let index = 0; index < length; index++) yield { name: `${index}`, type }
}

const readMembers = (members: Iterable<Member>, reader: Reader, base: number): readonly Decoded[] => {
  const values: Decoded[] = []
  let at = base
  for (const { name, type } of members) {
    const place = isDynamic(type) ? base + reader.size(at) : at
    at += headSize(type)
    values.push({ name, type: typeName(type), value: readValue(type, reader, place) })
  }
  if (values.length === 0) reader.take()
  return values
}

const readValue = (type: AbiType, reader: Reader, at: number): Decoded['value'] => {
  // A list or a struct counts by what it holds, or else its items would count twice.
  if (type.kind !== 'tuple' && type.kind !== 'array') reader.take()
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
      return textDecoder.decode(reader.bytes(at + 32, reader.size(at)))
    case 'tuple':
      return readMembers(type.fields, reader, at)
    case 'array': {
      const items = itemsOf(type.item, type.length ?? reader.size(at))
      return readMembers(items, reader, type.length === undefined ? at + 32 : at)
    }
  }
}

/**
 * Returns the values of encoded parameters; undefined if the data does not hold them, or holds more items than `maxItems`.
 * Of values inside each other only the innermost count.
 */
export const decodeAbi = (
  parameters: readonly AbiParameter[],
  data: Uint8Array,
  toHex: ToHex,
  maxItems = defaultMaxItems,
): readonly Decoded[] | undefined => {
  try {
    return readMembers(parameters, new Reader(data, toHex, maxItems), 0)
  } catch {
    return undefined
  }
}
