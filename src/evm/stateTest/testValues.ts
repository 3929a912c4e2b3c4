import { fromBigInt } from '../../base/encoding/bytes.ts'
import { fromHex } from '../../base/encoding/hex.ts'

/** Parsers for values in the tests' files: hex with leading zeros, odd digits, sometimes no prefix. */

export const toInteger = (text: string): bigint => {
  const value = BigInt(text === '' || text === '0x' ? '0x0' : text)
  if (value < 0n) throw new RangeError(`${text} is negative`)
  return value
}

export const toBytes = (text: string): Uint8Array => {
  const digits = text.startsWith('0x') ? text.slice(2) : text
  return fromHex(`0x${digits.length & 1 ? '0' : ''}${digits}`)
}

export const toWord = (text: string): Uint8Array => fromBigInt(toInteger(text), 32)

export const toAddress = (text: string): Uint8Array => fromBigInt(toInteger(text), 20)
