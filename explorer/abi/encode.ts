import { type AbiParameter, type AbiType, isDynamic, typeName } from '../../src/base/abi/type.ts'
import { bytesToHex, isAddress, isHex, utf8 } from '../format/hex.ts'
import type { Hex } from '../rpc/types.ts'
import { texts } from '../texts/texts.ts'

/** What a person typed cannot be a value of the type. */
export class EncodeProblem extends Error {
  readonly parameter: string

  constructor(parameter: string, message: string) {
    super(message)
    this.parameter = parameter
  }
}

const word = (value: bigint): string => BigInt.asUintN(256, value).toString(16).padStart(64, '0')
const padRight = (digits: string): string => digits.padEnd(Math.ceil(digits.length / 64) * 64, '0')

/** Whether JSON has it as something that is exact as an integer; lists and truths could be made numbers too. */
const isExact = (value: unknown): boolean =>
  typeof value === 'string' || typeof value === 'bigint' || Number.isSafeInteger(value)

const toInteger = (value: unknown, { kind, bits }: Extract<AbiType, { readonly bits: number }>): bigint => {
  if (!isExact(value)) throw new Error(texts.wanted.integer)
  const text = typeof value === 'string' ? value.trim().replaceAll('_', '') : value
  let number: bigint
  try {
    number = BigInt(text as string)
  } catch {
    throw new Error(texts.wanted.integer)
  }
  if (text === '') throw new Error(texts.wanted.integer)
  const fits =
    kind === 'uint' ? BigInt.asUintN(bits, number) === number : BigInt.asIntN(bits, number) === number
  if (!fits) throw new Error(texts.wanted.fitting(`${kind}${bits}`))
  return number
}

const toBytes = (value: unknown): string => {
  if (typeof value !== 'string' || !isHex(value.trim())) throw new Error(texts.wanted.hex)
  return value.trim().slice(2)
}

const toBoolean = (value: unknown): boolean => {
  if (value === true || value === 'true' || value === '1') return true
  if (value === false || value === 'false' || value === '0' || value === '') return false
  throw new Error(texts.wanted.boolean)
}

/** A list or an object: as it is inside of another one, or as JSON that was typed. */
const toJson = (value: unknown): object => {
  if (typeof value === 'object' && value !== null) return value
  try {
    // Large numbers would lose digits as numbers of JSON.
    const json: unknown = JSON.parse(String(value).replace(/(?<=[[,:]\s*)(-?\d{10,})(?=\s*[\],}])/g, '"$1"'))
    if (typeof json === 'object' && json !== null) return json
  } catch {}
  throw new Error(texts.wanted.list)
}

const toList = (value: unknown): readonly unknown[] => {
  const json = toJson(value)
  if (!Array.isArray(json)) throw new Error(texts.wanted.list)
  return json
}

/** The values of a tuple in its order: of a list as they stand, of an object by their names, in whatever order it has them. */
const toFields = (fields: readonly AbiParameter[], value: unknown): readonly unknown[] => {
  const json = toJson(value)
  if (Array.isArray(json)) {
    if (json.length !== fields.length) throw new Error(texts.wanted.values(fields.length))
    return json
  }
  const names = new Set(fields.map(({ name }) => name))
  const given = Object.keys(json)
  // Fields that share a name, or have none, cannot be told apart.
  if (names.size !== fields.length || names.has('')) throw new Error(texts.wanted.list)
  if (given.length !== names.size || !given.every((name) => names.has(name)))
    throw new Error(texts.wanted.names([...names].join(', ')))
  return fields.map(({ name }) => (json as Record<string, unknown>)[name])
}

const encodeFixed = (value: unknown, size: number): string => {
  const digits = toBytes(value)
  if (digits.length !== 2 * size) throw new Error(texts.wanted.bytes(size))
  return padRight(digits)
}

const encodeValue = (type: AbiType, value: unknown): string => {
  switch (type.kind) {
    case 'uint':
    case 'int':
      return word(toInteger(value, type))
    case 'bool':
      return word(toBoolean(value) ? 1n : 0n)
    case 'address':
      if (typeof value !== 'string' || !isAddress(value.trim())) throw new Error(texts.wanted.address)
      return word(BigInt(value.trim()))
    case 'fixedBytes':
      return encodeFixed(value, type.size)
    case 'function':
      return encodeFixed(value, 24)
    case 'bytes': {
      const digits = toBytes(value)
      return word(BigInt(digits.length / 2)) + padRight(digits)
    }
    case 'string': {
      if (typeof value === 'object') throw new Error(texts.wanted.text)
      const bytes = utf8(String(value))
      return word(BigInt(bytes.length)) + padRight(bytesToHex(bytes).slice(2))
    }
    case 'tuple':
      return encodeFields(type.fields, toFields(type.fields, value))
    case 'array': {
      const list = toList(value)
      if (type.length !== undefined && list.length !== type.length)
        throw new Error(texts.wanted.values(type.length))
      const fields = list.map((_, index) => ({ name: `${index}`, type: type.item, indexed: false }))
      return (type.length === undefined ? word(BigInt(list.length)) : '') + encodeFields(fields, list)
    }
  }
}

const encodeFields = (fields: readonly AbiParameter[], values: readonly unknown[]): string => {
  const encoded = fields.map(({ name, type }, index) => {
    try {
      return { digits: encodeValue(type, values[index]), isDynamic: isDynamic(type) }
    } catch (error) {
      if (error instanceof EncodeProblem) throw error
      throw new EncodeProblem(name || typeName(type), (error as Error).message)
    }
  })
  let at = encoded.reduce((sum, one) => sum + (one.isDynamic ? 32 : one.digits.length / 2), 0)
  let heads = ''
  let tails = ''
  for (const { digits, isDynamic: hasTail } of encoded) {
    if (!hasTail) {
      heads += digits
      continue
    }
    heads += word(BigInt(at))
    tails += digits
    at += digits.length / 2
  }
  return heads + tails
}

/** Encodes values that were typed; throws an EncodeProblem that names the parameter. */
export const encodeParameters = (parameters: readonly AbiParameter[], values: readonly unknown[]): Hex =>
  `0x${encodeFields(parameters, values)}`
