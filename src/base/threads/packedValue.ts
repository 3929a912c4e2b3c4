import { withTransfer } from './threadRpc.ts'

/**
 * Plain data in one buffer, which another thread takes over without a copy. A structured clone makes a buffer for each byte
 * array, all in one piece: 300 ms for 70,000 small ones. Packing is done in small pieces, and unpacking on the other thread.
 */

/** A packed tree of plain data. It is plain data too. */
export interface PackedValue {
  readonly kind: 'packed'
  readonly bytes: Uint8Array
  /** The members that cannot be packed, such as shared memory; they are cloned. */
  readonly others: readonly unknown[]
}

/** The values that are packed between two yields. */
const valuesAtOnce = 64

/** The first byte of each value. */
const tag = {
  undefined: 0,
  null: 1,
  false: 2,
  true: 3,
  number: 4,
  positive: 5,
  negative: 6,
  string: 7,
  bytes: 8,
  list: 9,
  object: 10,
  other: 11,
} as const

/** Returns whether a value has more than `most` members, at any depth. It stops looking there. */
export const hasManyMembers = (value: unknown, most: number): boolean => countMembers(value, most) > most

const countMembers = (value: unknown, most: number): number => {
  const isList = Array.isArray(value)
  if (!isList && !isObject(value)) return 0
  let count = 0
  for (const member of isList ? value : Object.values(value)) {
    count += 1 + countMembers(member, most - count)
    if (count > most) break
  }
  return count
}

/** Packs a tree of plain data; yields after each few values. */
export function* packValue(value: unknown): Generator<undefined, PackedValue> {
  const packer = new Packer(value)
  while (packer.pack(valuesAtOnce)) yield
  return packer.finish()
}

/** Returns what was packed. */
export const unpackValue = (packed: PackedValue): unknown => new Unpacker(packed).next()

/** Objects that are more than their members, such as maps, are cloned. */
const isObject = (value: unknown): value is Readonly<Record<string, unknown>> => {
  if (typeof value !== 'object' || value === null) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}

/** A list or an object whose members are being packed. */
interface Open {
  readonly members: readonly unknown[] | Readonly<Record<string, unknown>>
  /** The names of the members; undefined for a list. */
  readonly names: readonly string[] | undefined
  readonly length: number
  next: number
}

class Packer {
  #bytes = Buffer.allocUnsafeSlow(65_536)
  #length = 0
  readonly #others: unknown[] = []
  /** The names of members that were written, each with its place. */
  readonly #names = new Map<string, number>()
  readonly #open: Open[] = []

  constructor(value: unknown) {
    this.#value(value)
  }

  /** Packs the next members, up to a number of them. Returns whether there are more. */
  pack(count: number): boolean {
    for (let packed = 0; packed < count; ) {
      const open = this.#open.at(-1)
      if (open === undefined) return false
      if (open.next === open.length) {
        this.#open.pop()
        continue
      }
      const key = open.names === undefined ? open.next : (open.names[open.next] as string) // below their number
      open.next++
      packed++
      if (typeof key === 'string') this.#name(key)
      this.#value((open.members as Readonly<Record<string | number, unknown>>)[key]) // a list has its indexes as keys
    }
    return true
  }

  finish(): PackedValue {
    const bytes = new Uint8Array(this.#bytes.buffer, 0, this.#length)
    return withTransfer({ kind: 'packed', bytes, others: this.#others }, [bytes.buffer])
  }

  #value(value: unknown): void {
    switch (typeof value) {
      case 'undefined':
        return this.#byte(tag.undefined)
      case 'boolean':
        return this.#byte(value ? tag.true : tag.false)
      case 'number':
        return this.#number(value)
      case 'bigint':
        this.#byte(value < 0n ? tag.negative : tag.positive)
        return this.#text((value < 0n ? -value : value).toString(16))
      case 'string':
        this.#byte(tag.string)
        return this.#text(value)
      default:
        return this.#object(value)
    }
  }

  #object(value: unknown): void {
    if (value === null) return this.#byte(tag.null)
    if (value instanceof Uint8Array && value.buffer instanceof ArrayBuffer) {
      this.#byte(tag.bytes)
      this.#count(value.length)
      const at = this.#take(value.length)
      this.#bytes.set(value, at)
    } else if (Array.isArray(value)) {
      this.#byte(tag.list)
      this.#count(value.length)
      this.#open.push({ members: value, names: undefined, length: value.length, next: 0 })
    } else if (isObject(value)) {
      const names = Object.keys(value)
      this.#byte(tag.object)
      this.#count(names.length)
      this.#open.push({ members: value, names, length: names.length, next: 0 })
    } else {
      this.#byte(tag.other)
      this.#others.push(value)
    }
  }

  /** Writes a name when it comes for the first time, and then the place that it had among the names. */
  #name(name: string): void {
    const known = this.#names.get(name)
    this.#count(known ?? this.#names.size)
    if (known !== undefined) return
    this.#names.set(name, this.#names.size)
    this.#text(name)
  }

  /** Writes each unit of 16 bits as it is: a text need not be valid Unicode. */
  #text(text: string): void {
    this.#count(text.length)
    const at = this.#take(2 * text.length)
    this.#bytes.write(text, at, 'utf16le')
  }

  #number(value: number): void {
    this.#byte(tag.number)
    const at = this.#take(8)
    this.#bytes.writeDoubleLE(value, at)
  }

  #byte(value: number): void {
    const at = this.#take(1)
    this.#bytes[at] = value
  }

  #count(value: number): void {
    const at = this.#take(4)
    this.#bytes.writeUInt32LE(value, at)
  }

  /** Makes room for a number of bytes, perhaps in a larger buffer, and returns where they begin. */
  #take(length: number): number {
    const at = this.#length
    this.#length += length
    if (this.#length <= this.#bytes.length) return at
    const larger = Buffer.allocUnsafeSlow(2 * this.#length)
    larger.set(this.#bytes.subarray(0, at))
    this.#bytes = larger
    return at
  }
}

/** Reads what a packer wrote. */
class Unpacker {
  readonly #bytes: Uint8Array
  readonly #buffer: Buffer
  readonly #others: Iterator<unknown>
  readonly #names: string[] = []
  #at = 0

  constructor({ bytes, others }: PackedValue) {
    this.#bytes = bytes
    this.#buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
    this.#others = others.values()
  }

  next(): unknown {
    const kind = this.#bytes[this.#take(1)]
    switch (kind) {
      case tag.undefined:
        return undefined
      case tag.null:
        return null
      case tag.false:
      case tag.true:
        return kind === tag.true
      case tag.number:
        return this.#buffer.readDoubleLE(this.#take(8))
      case tag.positive:
        return BigInt(`0x${this.#text()}`)
      case tag.negative:
        return -BigInt(`0x${this.#text()}`)
      case tag.string:
        return this.#text()
      case tag.bytes: {
        // A copy, so that a part that is kept does not keep the whole.
        const length = this.#count()
        const at = this.#take(length)
        return this.#bytes.slice(at, at + length)
      }
      case tag.list:
        return Array.from({ length: this.#count() }, () => this.next())
      case tag.object:
        return this.#object()
      default:
        return this.#others.next().value
    }
  }

  #object(): unknown {
    const object: Record<string, unknown> = {}
    for (let left = this.#count(); left > 0; left--) {
      const name = this.#name()
      const value = this.next()
      // An assignment would set the prototype.
      if (name === '__proto__')
        Object.defineProperty(object, name, { value, enumerable: true, configurable: true, writable: true })
      else object[name] = value
    }
    return object
  }

  #name(): string {
    const place = this.#count()
    if (place === this.#names.length) this.#names.push(this.#text())
    return this.#names[place] as string // written before, or now
  }

  #text(): string {
    const end = 2 * this.#count()
    const at = this.#take(end)
    return this.#buffer.toString('utf16le', at, at + end)
  }

  #count(): number {
    return this.#buffer.readUInt32LE(this.#take(4))
  }

  #take(length: number): number {
    const at = this.#at
    this.#at += length
    return at
  }
}
