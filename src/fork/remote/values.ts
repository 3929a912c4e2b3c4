import { fromHex } from '../../base/encoding/hex.ts'

/** Thrown for a response that no node gives. */
export class MalformedAnswerError extends Error {
  override readonly name = 'MalformedAnswerError'
}

const malformed = (method: string, wanted: string): MalformedAnswerError =>
  new MalformedAnswerError(`returned an invalid ${wanted} for ${method}`)

/** Returns a QUANTITY of at most so many bits. */
export const readQuantity = (value: unknown, bits: number, method: string): bigint => {
  if (typeof value !== 'string' || !/^0x[0-9a-fA-F]{1,64}$/.test(value)) throw malformed(method, 'QUANTITY')
  const number = BigInt(value)
  if (number >> BigInt(bits) !== 0n) throw malformed(method, `QUANTITY of ${bits} bits`)
  return number
}

export const readData = (value: unknown, method: string): Uint8Array => {
  if (typeof value !== 'string' || !/^0x(?:[0-9a-fA-F]{2})*$/.test(value)) throw malformed(method, 'DATA')
  return fromHex(value)
}

/** Returns 32 bytes; some nodes leave leading zeros out. */
export const readWord = (value: unknown, method: string): Uint8Array => {
  if (typeof value !== 'string' || !/^0x[0-9a-fA-F]{0,64}$/.test(value)) throw malformed(method, 'word')
  return fromHex(`0x${value.slice(2).padStart(64, '0')}`)
}

/** Returns the hash of a block's JSON. */
export const readBlockHash = (value: unknown, number: number, method: string): Uint8Array => {
  const { hash, number: reported } = (typeof value === 'object' && value !== null ? value : {}) as {
    readonly hash?: unknown
    readonly number?: unknown
  }
  if (typeof hash !== 'string' || !/^0x[0-9a-fA-F]{64}$/.test(hash))
    throw malformed(method, `block ${number}`)
  if (readQuantity(reported, 64, method) !== BigInt(number)) throw malformed(method, `block ${number}`)
  return fromHex(hash)
}
