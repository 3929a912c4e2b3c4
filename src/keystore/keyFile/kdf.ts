import { badKeyFileError } from '../keystoreError.ts'

/** The key derivation function of a key file, with its parameters. */
export interface ScryptParams {
  readonly kind: 'scrypt'
  readonly n: number
  readonly r: number
  readonly p: number
  readonly dklen: number
  readonly salt: Uint8Array
}

export interface Pbkdf2Params {
  readonly kind: 'pbkdf2'
  /** The number of iterations of HMAC-SHA256. */
  readonly c: number
  readonly dklen: number
  readonly salt: Uint8Array
}

export type KdfParams = ScryptParams | Pbkdf2Params

/**
 * The limits of the parameters, which are checked before anything is allocated. A key file may come from anywhere, and
 * its parameters decide how much memory and time it takes. The largest in use are geth's (n 2^18, r 8, p 1) and twice that.
 */
const limits = {
  n: 2 ** 20,
  r: 64,
  p: 64,
  /** The limit of memory, which is 128·n·r bytes. */
  scryptBytes: 512 * 2 ** 20,
  /** The limit of time, which is n·r·p: eight times that of geth's files. */
  scryptWork: 2 ** 24,
  c: 10_000_000,
  saltBytes: 256,
} as const

/** The least length of a derived key. Its first half encrypts, the second authenticates; more bytes are not used. */
const minDerivedKeyBytes = 32
const maxDerivedKeyBytes = 64

type Json = Readonly<Record<string, unknown>>

const wholeNumber = (params: Json, name: string, min: number, max: number): number => {
  const value = params[name]
  if (!Number.isSafeInteger(value)) throw badKeyFileError(`${name} must be a whole number`)
  const number = value as number // checked above
  if (number < min || number > max) throw badKeyFileError(`${name} must be between ${min} and ${max}`)
  return number
}

/** Parses hex digits with or without 0x. */
export const parseHexBytes = (value: unknown, name: string, maxBytes: number): Uint8Array => {
  if (typeof value !== 'string') throw badKeyFileError(`${name} must be hex digits`)
  if (value.length > maxBytes * 2 + 2) throw badKeyFileError(`${name} has more than ${maxBytes} bytes`)
  const [, digits] = /^(?:0x)?((?:[0-9a-fA-F]{2})*)$/.exec(value) ?? []
  if (digits === undefined) throw badKeyFileError(`${name} must be hex digits`)
  const bytes = new Uint8Array(Buffer.from(digits, 'hex'))
  if (bytes.length > maxBytes) throw badKeyFileError(`${name} has more than ${maxBytes} bytes`)
  return bytes
}

const readScrypt = (params: Json): ScryptParams => {
  const n = wholeNumber(params, 'n', 2, limits.n)
  // A power of two has one bit; n is far below 2^31.
  if ((n & (n - 1)) !== 0) throw badKeyFileError('n must be a power of two')
  const r = wholeNumber(params, 'r', 1, limits.r)
  const p = wholeNumber(params, 'p', 1, limits.p)
  const dklen = wholeNumber(params, 'dklen', minDerivedKeyBytes, maxDerivedKeyBytes)
  if (128 * n * r > limits.scryptBytes)
    throw badKeyFileError(`n and r need more than ${limits.scryptBytes} bytes`)
  if (n * r * p > limits.scryptWork) throw badKeyFileError(`n·r·p must be at most ${limits.scryptWork}`)
  return { kind: 'scrypt', n, r, p, dklen, salt: parseHexBytes(params.salt, 'salt', limits.saltBytes) }
}

const readPbkdf2 = (params: Json): Pbkdf2Params => {
  if (params.prf !== 'hmac-sha256') throw badKeyFileError('prf must be hmac-sha256')
  const c = wholeNumber(params, 'c', 1, limits.c)
  const dklen = wholeNumber(params, 'dklen', minDerivedKeyBytes, maxDerivedKeyBytes)
  return { kind: 'pbkdf2', c, dklen, salt: parseHexBytes(params.salt, 'salt', limits.saltBytes) }
}

export const parseKdf = (kdf: unknown, params: Json): KdfParams => {
  if (kdf === 'scrypt') return readScrypt(params)
  if (kdf === 'pbkdf2') return readPbkdf2(params)
  throw badKeyFileError('kdf must be scrypt or pbkdf2')
}
