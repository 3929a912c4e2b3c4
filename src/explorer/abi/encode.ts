import { bytesToHex, isAddress, isHex, utf8 } from '../format/hex.ts'
import type { Hex } from '../rpc/types.ts'
import { texts } from '../texts.ts'
import { type AbiParameter, type AbiType, isDynamic, typeName } from './type.ts'

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

const toInteger = (value: unknown, { kind, bits }: Extract<AbiType, { readonly bits: number }>): bigint => {
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

/** A list: as it is, or as JSON that was typed. */
const toList = (value: unknown): readonly unknown[] => {
  if (Array.isArray(value)) return value
  try {
    // Large numbers would lose digits as numbers of JSON.
    const list: unknown = JSON.parse(String(value).replace(/(?<=[[,:]\s*)(-?\d{10,})(?=\s*[\],}])/g, '"$1"'))
    if (Array.isArray(list)) return list
    if (typeof list === 'object' && list !== null) return Object.values(list)
  } catch {}
  throw new Error(texts.wanted.list)
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
      const bytes = utf8(String(value))
      return word(BigInt(bytes.length)) + padRight(bytesToHex(bytes).slice(2))
    }
    case 'tuple': {
      const list = toList(value)
      if (list.length !== type.fields.length) throw new Error(texts.wanted.values(type.fields.length))
      return encodeFields(type.fields, list)
    }
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
