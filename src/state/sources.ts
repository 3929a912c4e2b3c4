import { keccak256 } from '../base/crypto.ts'
import type { NodeCache } from './nodeCache.ts'
import { encodeList, encodeString } from './rlp.ts'
import { decodeAccount, type StoredAccount, storagePrefix, trimWord } from './rows.ts'
import type { StateTables } from './tables.ts'
import type { TrieSource } from './trieUpdate.ts'
import { versionBytes } from './versions.ts'

/** The two tries as they stand at one height. Account keys are addresses, storage keys slots; both are ordered by hash. */

export const accountNodePrefix = Uint8Array.of(0)

/** What a read is bound to: a height, and a pinned transaction where one is held. */
export type At = { readonly height: number; readonly pinned: Parameters<StateTables['accounts']['find']>[2] }

const nodeKey = (prefix: Uint8Array, path: Uint8Array): Uint8Array => {
  const key = new Uint8Array(prefix.length + path.length)
  key.set(prefix)
  key.set(path, prefix.length)
  return key
}

const integer = (value: bigint): Uint8Array => {
  if (value === 0n) return new Uint8Array(0)
  const digits = value.toString(16)
  return Buffer.from(digits.length & 1 ? `0${digits}` : digits, 'hex')
}

/** The value of an account's leaf. */
export const accountRlp = (account: StoredAccount): Uint8Array =>
  encodeList([integer(account.nonce), integer(account.balance), account.storageRoot, account.codeHash])

/** The value of a slot's leaf. */
export const slotRlp = (value: Uint8Array): Uint8Array => encodeString(trimWord(value))

export const accountSource = (tables: StateTables, at: At, cache?: NodeCache): TrieSource => ({
  row: (path) => {
    const cached = cache?.get(path)
    if (cached) return cached
    const row = tables.accountNodes.load(nodeKey(accountNodePrefix, path), at.height, at.pinned)
    if (row) cache?.set(path, row)
    return row
  },
  path: keccak256,
  value: (address) => {
    if (!tables.accounts.find(address, at.height, at.pinned)) throw new Error('a leaf has no account row')
    return accountRlp(decodeAccount(tables.accounts.bytes, versionBytes))
  },
})

export const storageSource = (
  tables: StateTables,
  at: At,
  address: Uint8Array,
  incarnation: number,
): TrieSource => {
  const prefix = storagePrefix(address, incarnation)
  return {
    row: (path) => tables.slotNodes.load(nodeKey(prefix, path), at.height, at.pinned),
    path: keccak256,
    value: (slot) => {
      const value = tables.slots.load(nodeKey(prefix, slot), at.height, at.pinned)
      if (!value) throw new Error('a leaf has no slot row')
      return encodeString(value)
    },
  }
}
