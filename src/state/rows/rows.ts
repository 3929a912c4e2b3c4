import { keccak256 } from '../../base/crypto/crypto.ts'
import { headerLength, writeHeader } from '../../base/encoding/rlp.ts'
import { type Account, emptyCodeHash } from '../../chain/state/evmState.ts'

/**
 * The account row: flags, lengths, nonce, balance, then code hash and storage only where there is any, so that a
 * plain account takes about fifteen bytes.
 *
 * Incarnation: the height at which the account's storage last became non-empty or was replaced as a whole. It is a
 * part of every slot's key, so that clearing the storage of an account costs one row, and it is never used twice.
 */
export interface StoredAccount extends Account, AccountStorage {}

export interface AccountStorage {
  /** The root of the storage; the object `emptyRoot` itself if there is none. */
  readonly storageRoot: Uint8Array
  readonly incarnation: number
  /**
   * On a forked chain: whether a slot without a row is zero, because the storage was deleted or replaced here. Otherwise it
   * has the value of the remote chain, and the incarnation is 0. Always undefined on a chain that is not forked.
   */
  readonly isDetached?: true | undefined
}

/** The root of a trie without entries: keccak of the empty string's RLP. */
export const emptyRoot = keccak256(Uint8Array.of(0x80))
export const noStorage: AccountStorage = { storageRoot: emptyRoot, incarnation: 0 }
/** The storage of an account that was deleted or emptied on a forked chain. */
export const detachedStorage: AccountStorage = { ...noStorage, isDetached: true }

const hasCode = 1
const hasStorage = 2
const isDetached = 4
export const heightBytes = 6

const isEmptyHash = (hash: Uint8Array, empty: Uint8Array): boolean => {
  for (let i = 0; i < 32; i++) if (hash[i] !== empty[i]) return false
  return true
}

const words = new DataView(new ArrayBuffer(32))
const wordBytes = new Uint8Array(words.buffer)

/** Writes an integer in big-endian form without leading zeros, and returns the number of bytes. */
const writeInteger = (target: Uint8Array, at: number, value: bigint): number => {
  let start = 32
  for (let rest = value; rest > 0n; rest >>= 64n) {
    start -= 8
    words.setBigUint64(start, BigInt.asUintN(64, rest))
  }
  while (start < 32 && wordBytes[start] === 0) start++
  for (let i = start; i < 32; i++) target[at + i - start] = wordBytes[i] as number
  return 32 - start
}

const readInteger = (source: Uint8Array, start: number, end: number): bigint => {
  // Words of six bytes stay exact as numbers.
  const length = end - start
  let value = 0n
  let at = start
  for (let size = length % 6 || 6; at < end; size = 6) {
    let word = 0
    for (let i = at; i < at + size; i++) word = word * 256 + (source[i] as number)
    value = at === start ? BigInt(word) : (value << 48n) | BigInt(word)
    at += size
  }
  return value
}

const scratch = new Uint8Array(160)

export const encodeAccount = (account: Account, storage: AccountStorage): Uint8Array => {
  let at = 3
  const nonceLength = writeInteger(scratch, at, account.nonce)
  at += nonceLength
  const balanceLength = writeInteger(scratch, at, account.balance)
  at += balanceLength
  const withCode = !isEmptyHash(account.codeHash, emptyCodeHash)
  const withStorage = storage.storageRoot !== emptyRoot
  scratch[0] =
    (withCode ? hasCode : 0) | (withStorage ? hasStorage : 0) | (storage.isDetached ? isDetached : 0)
  scratch[1] = nonceLength
  scratch[2] = balanceLength
  if (withCode) {
    scratch.set(account.codeHash, at)
    at += 32
  }
  if (withStorage) {
    scratch.set(storage.storageRoot, at)
    at += 32
    writeHeight(scratch, at, storage.incarnation)
    at += heightBytes
  }
  return scratch.slice(0, at)
}

export const decodeAccount = (row: Uint8Array, start: number): StoredAccount => {
  const nonceEnd = start + 3 + (row[start + 1] as number)
  const nonce = readInteger(row, start + 3, nonceEnd)
  const at = nonceEnd + (row[start + 2] as number)
  const balance = readInteger(row, nonceEnd, at)
  const flags = row[start] as number
  const codeHash = flags & hasCode ? copy(row, at, at + 32) : emptyCodeHash
  if (flags & isDetached) return { nonce, balance, codeHash, ...decodeStorage(row, start) }
  if (!(flags & hasStorage)) return { nonce, balance, codeHash, storageRoot: emptyRoot, incarnation: 0 }
  const { storageRoot, incarnation } = decodeStorage(row, start)
  return { nonce, balance, codeHash, storageRoot, incarnation }
}

export const decodeStorage = (row: Uint8Array, start: number): AccountStorage => {
  const flags = row[start] as number
  if (!(flags & hasStorage)) return flags & isDetached ? detachedStorage : noStorage
  const at = start + 3 + (row[start + 1] as number) + (row[start + 2] as number) + (flags & hasCode ? 32 : 0)
  const storage = { storageRoot: copy(row, at, at + 32), incarnation: readHeight(row, at + 32) }
  return flags & isDetached ? { ...storage, isDetached: true } : storage
}

/** Returns the value of an account's leaf: `[nonce, balance, storage root, code hash]`. */
export const encodeAccountRlp = (row: Uint8Array, start: number): Uint8Array => {
  const nonceLength = row[start + 1] as number
  const balanceLength = row[start + 2] as number
  const nonceAt = start + 3
  const balanceAt = nonceAt + nonceLength
  const payload = integerSize(row, nonceAt, nonceLength) + integerSize(row, balanceAt, balanceLength) + 66
  const rlp = new Uint8Array(headerLength(payload) + payload)
  let at = writeHeader(rlp, 0, 0xc0, payload)
  at = writeIntegerRlp(rlp, at, row, nonceAt, nonceLength)
  at = writeIntegerRlp(rlp, at, row, balanceAt, balanceLength)
  const flags = row[start] as number
  const codeAt = balanceAt + balanceLength
  const storageAt = codeAt + (flags & hasCode ? 32 : 0)
  at = writeHash(rlp, at, flags & hasStorage ? row : emptyRoot, flags & hasStorage ? storageAt : 0)
  writeHash(rlp, at, flags & hasCode ? row : emptyCodeHash, flags & hasCode ? codeAt : 0)
  return rlp
}

const integerSize = (row: Uint8Array, at: number, length: number): number =>
  length === 1 && (row[at] as number) < 0x80 ? 1 : 1 + length

const writeIntegerRlp = (
  target: Uint8Array,
  at: number,
  row: Uint8Array,
  from: number,
  length: number,
): number => {
  let to = at
  if (length !== 1 || (row[from] as number) >= 0x80) target[to++] = 0x80 + length
  for (let i = 0; i < length; i++) target[to++] = row[from + i] as number
  return to
}

const writeHash = (target: Uint8Array, at: number, source: Uint8Array, from: number): number => {
  target[at] = 0xa0
  for (let i = 0; i < 32; i++) target[at + 1 + i] = source[from + i] as number
  return at + 33
}

/**
 * Returns a copy as a plain array, because a slice of a Buffer is a Buffer, which is slower to create and
 * unequal in comparisons.
 */
export const copy = (source: Uint8Array, start: number, end: number): Uint8Array => {
  const bytes = new Uint8Array(end - start)
  for (let i = start; i < end; i++) bytes[i - start] = source[i] as number
  return bytes
}

/** Writes a height as six bytes, big-endian. */
export const writeHeight = (target: Uint8Array, at: number, height: number): void => {
  const high = Math.floor(height / 2 ** 32)
  target[at] = high >>> 8
  target[at + 1] = high
  target[at + 2] = height >>> 24
  target[at + 3] = height >>> 16
  target[at + 4] = height >>> 8
  target[at + 5] = height
}

export const readHeight = (source: Uint8Array, at: number): number => {
  const high = ((source[at] as number) << 8) | (source[at + 1] as number)
  const low =
    (source[at + 2] as number) * 2 ** 24 +
    (((source[at + 3] as number) << 16) | ((source[at + 4] as number) << 8) | (source[at + 5] as number))
  return high * 2 ** 32 + low
}

export const heightKey = (height: number): Uint8Array => {
  const key = new Uint8Array(heightBytes)
  writeHeight(key, 0, height)
  return key
}

/** Returns address ‖ incarnation, the prefix of the keys of an account's slots. */
export const storagePrefix = (address: Uint8Array, incarnation: number): Uint8Array => {
  const prefix = new Uint8Array(20 + heightBytes)
  prefix.set(address)
  writeHeight(prefix, 20, incarnation)
  return prefix
}

/** Returns a slot's value without its leading zeros; empty for zero. */
export const trimWord = (word: Uint8Array): Uint8Array => {
  let start = 0
  while (start < word.length && word[start] === 0) start++
  return word.subarray(start)
}
