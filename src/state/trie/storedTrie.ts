import { keccak256 } from '../../base/crypto/crypto.ts'
import { encodeRlp } from '../../base/encoding/rlp.ts'
import { encodeAccountRlp, storagePrefix } from '../rows/rows.ts'
import { versionBytes } from '../rows/versionedTable.ts'
import type { StateTables } from '../stateTables.ts'
import { nodeKey } from './nodeTable.ts'
import { nodeRowAt } from './nodeVersion.ts'
import type { TrieSource } from './update.ts'

/**
 * The account trie and the storage tries at one height. Addresses and slots are both ordered by their hash.
 */

/** The height of a read, and its pinned transaction if there is one. */
export type ReadPoint = {
  readonly height: number
  readonly pinned: Parameters<StateTables['accounts']['find']>[2]
}

/** A trie whose nodes are in the node table under a prefix. */
export interface StoredTrie extends TrieSource {
  readonly prefix: Uint8Array
}

const accountTrie = Uint8Array.of(0)
const storageTrie = 1

/** Returns the key prefix of a storage trie's nodes. */
const storageNodePrefix = (address: Uint8Array, incarnation: number): Uint8Array =>
  concatKey(Uint8Array.of(storageTrie), storagePrefix(address, incarnation))

export const concatKey = (prefix: Uint8Array, rest: Uint8Array): Uint8Array => {
  const key = new Uint8Array(prefix.length + rest.length)
  key.set(prefix)
  for (let i = 0; i < rest.length; i++) key[prefix.length + i] = rest[i] as number
  return key
}

export const openAccountTrie = (tables: StateTables, { height, pinned }: ReadPoint): StoredTrie => ({
  prefix: accountTrie,
  rowAt: nodeRowAt,
  stored: (path) => tables.nodes.at(nodeKey(accountTrie, path), height, pinned),
  path: keccak256,
  value: (address) => {
    if (!tables.accounts.find(address, height, pinned)) throw new Error('a leaf has no account row')
    return encodeAccountRlp(tables.accounts.bytes, versionBytes)
  },
})

export const openStorageTrie = (
  tables: StateTables,
  { height, pinned }: ReadPoint,
  address: Uint8Array,
  incarnation: number,
): StoredTrie => {
  const prefix = storageNodePrefix(address, incarnation)
  return {
    prefix,
    rowAt: nodeRowAt,
    stored: (path) => tables.nodes.at(nodeKey(prefix, path), height, pinned),
    path: keccak256,
    value: (slot) => {
      const value = tables.slots.load(concatKey(prefix.subarray(1), slot), height, pinned)
      if (!value) throw new Error('a leaf has no slot row')
      return encodeRlp(value)
    },
  }
}
