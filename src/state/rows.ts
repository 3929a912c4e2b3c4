import { keccak256 } from '../base/crypto.ts'
import type { Account } from '../chain/world.ts'

/**
 * The account row: flags, lengths, nonce, balance, then code hash and storage only where there is any, so that a
 * plain account takes about fifteen bytes.
 *
 * Incarnation: the height at which the account's storage last became non-empty or was replaced as a whole. It is a
 * part of every slot's key, so that clearing the storage of an account costs one row, and it is never used twice.
 */
export interface StoredAccount extends Account {
  readonly storageRoot: Uint8Array
  readonly incarnation: number
}

export const emptyCodeHash = keccak256(new Uint8Array(0))
/** The root of a trie without entries: keccak of the empty string's RLP. */
export const emptyRoot = keccak256(Uint8Array.of(0x80))

const hasCode = 1
const hasStorage = 2
export const incarnationBytes = 6

const isEqual = (a: Uint8Array, b: Uint8Array): boolean => {
  for (let i = 0; i < 32; i++) if (a[i] !== b[i]) return false
  return true
}

/** Big-endian without leading zeros: the number of bytes written. */
const writeInteger = (target: Uint8Array, at: number, value: bigint): number => {
  if (value === 0n) return 0
  if (value <= 0xffffffffn) {
    let small = Number(value)
    const length = small > 0xffffff ? 4 : small > 0xffff ? 3 : small > 0xff ? 2 : 1
    for (let i = length - 1; i >= 0; i--) {
      target[at + i] = small
      small >>>= 8
    }
    return length
  }
  const digits = value.toString(16)
  const length = (digits.length + 1) >> 1
  let end = digits.length
  for (let i = length - 1; i >= 0; i--) {
    target[at + i] = Number.parseInt(digits.slice(Math.max(0, end - 2), end), 16)
    end -= 2
  }
  return length
}

export const readInteger = (source: Uint8Array, start: number, end: number): bigint => {
  const length = end - start
  if (length <= 6) {
    let value = 0
    for (let i = start; i < end; i++) value = value * 256 + (source[i] as number)
    return BigInt(value)
  }
  // Words of six bytes stay exact as numbers.
  let value = 0n
  let at = start
  for (let size = length % 6 || 6; at < end; size = 6) {
    let word = 0
    for (let i = at; i < at + size; i++) word = word * 256 + (source[i] as number)
    value = (value << 48n) | BigInt(word)
    at += size
  }
  return value
}

const scratch = new Uint8Array(160)

export const encodeAccount = (account: StoredAccount): Uint8Array => {
  let at = 3
  const nonceLength = writeInteger(scratch, at, account.nonce)
  at += nonceLength
  const balanceLength = writeInteger(scratch, at, account.balance)
  at += balanceLength
  const withCode = !isEqual(account.codeHash, emptyCodeHash)
  const withStorage = !isEqual(account.storageRoot, emptyRoot)
  scratch[0] = (withCode ? hasCode : 0) | (withStorage ? hasStorage : 0)
  scratch[1] = nonceLength
  scratch[2] = balanceLength
  if (withCode) {
    scratch.set(account.codeHash, at)
    at += 32
  }
  if (withStorage) {
    scratch.set(account.storageRoot, at)
    at += 32
    writeIncarnation(scratch, at, account.incarnation)
    at += incarnationBytes
  }
  return scratch.slice(0, at)
}

export const decodeAccount = (row: Uint8Array, start: number): StoredAccount => {
  const flags = row[start] as number
  let at = start + 3
  const nonceEnd = at + (row[start + 1] as number)
  const nonce = readInteger(row, at, nonceEnd)
  at = nonceEnd + (row[start + 2] as number)
  const balance = readInteger(row, nonceEnd, at)
  let codeHash = emptyCodeHash
  if (flags & hasCode) {
    codeHash = Uint8Array.prototype.slice.call(row, at, at + 32)
    at += 32
  }
  if (!(flags & hasStorage)) return { nonce, balance, codeHash, storageRoot: emptyRoot, incarnation: 0 }
  const storageRoot = Uint8Array.prototype.slice.call(row, at, at + 32)
  return { nonce, balance, codeHash, storageRoot, incarnation: readIncarnation(row, at + 32) }
}

export const writeIncarnation = (target: Uint8Array, at: number, incarnation: number): void => {
  const high = Math.floor(incarnation / 2 ** 32)
  target[at] = high >>> 8
  target[at + 1] = high
  target[at + 2] = incarnation >>> 24
  target[at + 3] = incarnation >>> 16
  target[at + 4] = incarnation >>> 8
  target[at + 5] = incarnation
}

export const readIncarnation = (source: Uint8Array, at: number): number => {
  let value = 0
  for (let i = 0; i < incarnationBytes; i++) value = value * 256 + (source[at + i] as number)
  return value
}

/** address ‖ incarnation: what the keys of an account's slots and of its trie's nodes begin with. */
export const storagePrefix = (address: Uint8Array, incarnation: number): Uint8Array => {
  const prefix = new Uint8Array(20 + incarnationBytes)
  prefix.set(address)
  writeIncarnation(prefix, 20, incarnation)
  return prefix
}

/** A slot's value without its leading zeros; nothing for zero. */
export const trimWord = (word: Uint8Array): Uint8Array => {
  let start = 0
  while (start < word.length && word[start] === 0) start++
  return word.subarray(start)
}

/** Six bytes big-endian: the keys of rows by height. */
export const heightKey = (height: number): Uint8Array => {
  const key = new Uint8Array(incarnationBytes)
  writeIncarnation(key, 0, height)
  return key
}
