import { randomUUID } from 'node:crypto'
import { toHex } from '../../base/encoding/hex.ts'
import { badKeyFileError } from '../keystoreError.ts'
import { type KdfParams, parseHexBytes, parseKdf, type ScryptParams } from './kdf.ts'

/**
 * Web3 Secret Storage, version 3:
 * https://ethereum.org/developers/docs/data-structures-and-encoding/web3-secret-storage
 */
export interface KeyFile {
  /** The address; some wallets, such as Foundry, do not write it. */
  readonly address: Uint8Array | undefined
  readonly cipherText: Uint8Array
  readonly iv: Uint8Array
  readonly mac: Uint8Array
  readonly kdf: KdfParams
}

/** The largest file that is read. Real files have about 500 bytes. */
export const maxKeyFileBytes = 65_536

const ivBytes = 16
const keyBytes = 32

type Json = Readonly<Record<string, unknown>>

const readObject = (text: string): Json => {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    // The message of the parser would quote the file.
    throw badKeyFileError('it is not JSON')
  }
  return asObject(value, 'it')
}

const asObject = (value: unknown, name: string): Json => {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw badKeyFileError(`${name} must be an object`)
  return value as Json // an object and not an array
}

const readAddress = (value: unknown): Uint8Array | undefined => {
  if (value === undefined || value === null || value === '') return undefined
  const address = parseHexBytes(value, 'address', 20)
  if (address.length !== 20) throw badKeyFileError('address must have 20 bytes')
  return address
}

/**
 * Parses the counter. Python's tools write it as a number without leading zeros, so that half a byte may be missing.
 */
const readIv = (value: unknown): Uint8Array => {
  const isOdd = typeof value === 'string' && value.length % 2 === 1
  const given = parseHexBytes(isOdd ? `0${value.replace(/^0x/, '')}` : value, 'iv', ivBytes)
  const iv = new Uint8Array(ivBytes)
  iv.set(given, ivBytes - given.length)
  return iv
}

/** Returns the address that a file states, without checking the rest. */
export const readKeyFileAddress = (text: string): Uint8Array | undefined =>
  readAddress(readObject(text).address)

export const parseKeyFile = (text: string): KeyFile => {
  const file = readObject(text)
  if (Number(file.version) !== 3) throw badKeyFileError('only version 3 is supported')
  // Early wallets wrote it with a capital letter; geth reads both.
  const crypto = asObject(file.crypto ?? file.Crypto, 'crypto')
  if (crypto.cipher !== 'aes-128-ctr') throw badKeyFileError('cipher must be aes-128-ctr')
  const kdf = parseKdf(crypto.kdf, asObject(crypto.kdfparams, 'kdfparams'))
  const cipherText = parseHexBytes(crypto.ciphertext, 'ciphertext', keyBytes)
  if (cipherText.length === 0) throw badKeyFileError('ciphertext is empty')
  const mac = parseHexBytes(crypto.mac, 'mac', 32)
  if (mac.length !== 32) throw badKeyFileError('mac must have 32 bytes')
  const { iv } = asObject(crypto.cipherparams, 'cipherparams')
  return { address: readAddress(file.address), cipherText, iv: readIv(iv), mac, kdf }
}

/** A key file as it is written here: only scrypt, with every member that any reader needs. */
export interface NewKeyFile extends KeyFile {
  readonly address: Uint8Array
  readonly kdf: ScryptParams
}

const digits = (bytes: Uint8Array): string => toHex(bytes).slice(2)

/** Encodes a key file with the order and spelling of geth. */
export const toKeyFileJson = ({ address, cipherText, iv, mac, kdf }: NewKeyFile): object => ({
  address: digits(address),
  crypto: {
    cipher: 'aes-128-ctr',
    ciphertext: digits(cipherText),
    cipherparams: { iv: digits(iv) },
    kdf: 'scrypt',
    kdfparams: { dklen: kdf.dklen, n: kdf.n, p: kdf.p, r: kdf.r, salt: digits(kdf.salt) },
    mac: digits(mac),
  },
  id: randomUUID(),
  version: 3,
})

export const renderKeyFile = (file: NewKeyFile): string => JSON.stringify(toKeyFileJson(file))

/** Returns the file name in geth's format: `UTC--2026-11-15T08-32-36.123456789Z--<address>`. */
export const keyFileName = (address: Uint8Array, now: Date): string => {
  // The clock has milliseconds only, which is enough because readers only sort by the name.
  const time = now.toISOString().replaceAll(':', '-').replace(/Z$/, '000000Z')
  return `UTC--${time}--${digits(address)}`
}
