import { keccak256 } from '../../base/crypto/crypto.ts'
import { concatBytes, fromBigInt } from '../../base/encoding/bytes.ts'
import { fromHex } from '../../base/encoding/hex.ts'

/** EIP-712: structured data as JSON, and the hash of it that is signed. */

export interface TypedDataField {
  readonly name: string
  readonly type: string
}

type Types = Readonly<Record<string, readonly TypedDataField[]>>
type Struct = Readonly<Record<string, unknown>>

export interface TypedData {
  readonly types: Types
  readonly primaryType: string
  readonly domain: Struct
  readonly message: Struct
}

/** The error for data that does not fit its types; the message names the member. */
export class TypedDataError extends Error {
  override readonly name = 'TypedDataError'
}

const domainType = 'EIP712Domain'
const wordBytes = 32

/**
 * The members that a domain may have, in the order of the standard. If a request omits the type of its
 * domain, it has the members that are present.
 */
const domainFields: readonly TypedDataField[] = [
  { name: 'name', type: 'string' },
  { name: 'version', type: 'string' },
  { name: 'chainId', type: 'uint256' },
  { name: 'verifyingContract', type: 'address' },
  { name: 'salt', type: 'bytes32' },
]

/** The deepest nesting; more than real data needs, so that hostile data cannot exhaust the stack. */
const maxDepth = 64

/** Returns the hash that is signed: keccak256(0x1901 ‖ domain ‖ message). Throws a TypedDataError. */
export const typedDataHash = ({ types, primaryType, domain, message }: TypedData): Uint8Array => {
  const encoder = new StructEncoder(
    Object.hasOwn(types, domainType)
      ? types
      : { ...types, [domainType]: domainFields.filter(({ name }) => isGiven(domain[name])) },
  )
  const parts = [Uint8Array.of(0x19, 0x01), encoder.hashStruct(domainType, domain, ['domain'])]
  // A domain may be signed alone.
  if (primaryType !== domainType) parts.push(encoder.hashStruct(primaryType, message, ['message']))
  return keccak256(concatBytes(...parts))
}

/** Throws a TypedDataError for arrays, which the third version of the wallets' method does not have. */
export const assertNoArrays = ({ types }: TypedData): void => {
  for (const [name, fields] of Object.entries(types))
    for (const field of fields)
      if (field.type.includes('['))
        throw typedDataError(['types', name, field.name], 'arrays are signed with eth_signTypedData_v4 only')
}

const isGiven = (value: unknown): boolean => value !== undefined && value !== null

/** The path of a value, for errors. */
export type Path = readonly (string | number)[]

export const typedDataError = (path: Path, message: string): TypedDataError =>
  new TypedDataError(`${path.join('.')}: ${message}`)

class StructEncoder {
  readonly #types: Types
  readonly #typeHashes = new Map<string, Uint8Array>()

  constructor(types: Types) {
    this.#types = types
  }

  hashStruct(name: string, value: unknown, path: Path): Uint8Array {
    const fields = this.#fieldsOf(name)
    if (fields === undefined) throw typedDataError(path, `there is no type ${name}`)
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      throw typedDataError(path, `expected an object of type ${name}`)
    const struct = value as Struct // an object that is neither null nor an array has string keys
    const words = fields.map((field) => {
      const member = Object.hasOwn(struct, field.name) ? struct[field.name] : undefined
      return this.#encode(field.type, member, [...path, field.name])
    })
    return keccak256(concatBytes(this.#typeHash(name), ...words))
  }

  /** Returns the 32 bytes that encode a value. */
  #encode(type: string, value: unknown, path: Path): Uint8Array {
    if (path.length > maxDepth) throw typedDataError(path.slice(0, 3), 'nested too deep')
    const array = /^(.+)\[(\d*)\]$/s.exec(type)
    if (array !== null) return this.#encodeArray(array[1] as string, array[2] as string, value, path)
    return this.#fieldsOf(type) === undefined
      ? encodeAtom(type, value, path)
      : this.hashStruct(type, value, path)
  }

  #encodeArray(item: string, length: string, value: unknown, path: Path): Uint8Array {
    if (!Array.isArray(value)) throw typedDataError(path, 'expected an array')
    if (length !== '' && value.length !== Number(length))
      throw typedDataError(path, `expected ${length} items, got ${value.length}`)
    // Written one by one: an array may have more items than a function call can have arguments.
    const words = new Uint8Array(wordBytes * value.length)
    for (const [index, each] of value.entries())
      words.set(this.#encode(item, each, [...path, index]), wordBytes * index)
    return keccak256(words)
  }

  #fieldsOf(name: string): readonly TypedDataField[] | undefined {
    return Object.hasOwn(this.#types, name) ? this.#types[name] : undefined
  }

  #typeHash(name: string): Uint8Array {
    const known = this.#typeHashes.get(name)
    if (known !== undefined) return known
    const hash = keccak256(Buffer.from(this.#encodeType(name)))
    this.#typeHashes.set(name, hash)
    return hash
  }

  /** Returns `Mail(Person from,string text)Person(…)`: the type, then the types it refers to, sorted. */
  #encodeType(name: string): string {
    const found = new Set([name])
    // A set can grow while it is walked: each type is visited once.
    for (const each of found)
      for (const { type } of this.#fieldsOf(each) ?? []) {
        const referred = type.replace(/\[.*$/s, '')
        if (this.#fieldsOf(referred) !== undefined) found.add(referred)
      }
    found.delete(name)
    return [name, ...[...found].sort()]
      .map((each) => {
        const members = (this.#fieldsOf(each) ?? []).map((field) => `${field.type} ${field.name}`)
        return `${each}(${members.join(',')})`
      })
      .join('')
  }
}

/** Returns the 32 bytes that encode a value of a type that is none of the data's own. */
export const encodeAtom = (type: string, value: unknown, path: Path): Uint8Array => {
  if (type === 'string') return keccak256(Buffer.from(asString(value, path)))
  if (type === 'bytes') return keccak256(asBytes(value, path))
  if (type === 'bool') return encodeBoolean(value, path)
  if (type === 'address') return padLeft(asBytesOf(20, value, path))
  const fixed = /^bytes([1-9]\d?)$/.exec(type)
  if (fixed !== null && Number(fixed[1]) <= 32) return padRight(asBytesOf(Number(fixed[1]), value, path))
  const integer = /^(u?)int([1-9]\d{0,2})$/.exec(type)
  const bits = integer === null ? 0 : Number(integer[2])
  if (integer === null || bits > 256 || bits % 8 !== 0) throw typedDataError(path, `there is no type ${type}`)
  const word = encodeInteger(asInteger(value, path), BigInt(bits), integer[1] === '')
  if (word === undefined) throw typedDataError(path, `${value} does not fit ${type}`)
  return word
}

const padLeft = (bytes: Uint8Array): Uint8Array => {
  const word = new Uint8Array(32)
  word.set(bytes, 32 - bytes.length)
  return word
}

const padRight = (bytes: Uint8Array): Uint8Array => {
  const word = new Uint8Array(32)
  word.set(bytes)
  return word
}

export const asString = (value: unknown, path: Path): string => {
  if (typeof value !== 'string') throw typedDataError(path, 'expected a string')
  return value
}

export const asBytes = (value: unknown, path: Path): Uint8Array => {
  if (typeof value !== 'string' || !/^0x(?:[0-9a-fA-F]{2})*$/.test(value))
    throw typedDataError(path, 'expected bytes: 0x and two hex digits a byte')
  return fromHex(value)
}

const asBytesOf = (length: number, value: unknown, path: Path): Uint8Array => {
  const bytes = asBytes(value, path)
  if (bytes.length !== length) throw typedDataError(path, `expected ${length} bytes, got ${bytes.length}`)
  return bytes
}

const encodeBoolean = (value: unknown, path: Path): Uint8Array => {
  if (typeof value !== 'boolean') throw typedDataError(path, 'expected true or false')
  return padLeft(Uint8Array.of(value ? 1 : 0))
}

/**
 * Parses an integer, which wallets write as number, decimal string or hex string. A number that JSON cannot
 * hold exactly is rejected.
 */
const asInteger = (value: unknown, path: Path): bigint => {
  if (typeof value === 'number' && Number.isSafeInteger(value)) return BigInt(value)
  if (typeof value === 'string' && /^(?:-?\d{1,78}|0x[0-9a-fA-F]{1,64})$/.test(value)) return BigInt(value)
  throw typedDataError(path, 'expected an integer: a safe number, a decimal or a hex string')
}

/**
 * Encodes an integer in two's complement over the whole word, also for narrow types. Returns undefined if the
 * value is out of range.
 */
const encodeInteger = (value: bigint, bits: bigint, isSigned: boolean): Uint8Array | undefined => {
  const least = isSigned ? -(1n << (bits - 1n)) : 0n
  const most = isSigned ? (1n << (bits - 1n)) - 1n : (1n << bits) - 1n
  return value < least || value > most ? undefined : fromBigInt(BigInt.asUintN(256, value), 32)
}
