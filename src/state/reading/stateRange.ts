import { decodeAccount, emptyRoot, type StoredAccount } from '../rows/rows.ts'
import { versionBytes } from '../rows/versionedTable.ts'
import type { StateTables } from '../stateTables.ts'
import { concatKey, openAccountTrie, openStorageTrie, type ReadPoint } from '../trie/storedTrie.ts'
import { iterateLeaves } from '../trie/walk.ts'

/** Iterates over the state in the order of the tries, for `debug_accountRange` and `debug_storageRangeAt`. */

export interface DumpedAccount {
  readonly hash: Uint8Array
  readonly address: Uint8Array
  readonly account: StoredAccount
}

export interface DumpedSlot {
  readonly hash: Uint8Array
  readonly slot: Uint8Array
  readonly value: Uint8Array
}

/** At most `limit` items, and the hash at which the next page starts if there are more. */
export interface Page<T> {
  readonly items: readonly T[]
  readonly next: Uint8Array | undefined
}

export function* iterateAccounts(
  tables: StateTables,
  at: ReadPoint,
  from?: Uint8Array,
): Generator<DumpedAccount> {
  for (const { key, path } of iterateLeaves(openAccountTrie(tables, at), from)) {
    if (!tables.accounts.find(key, at.height, at.pinned)) throw new Error('a leaf has no account row')
    yield { hash: path, address: key, account: decodeAccount(tables.accounts.bytes, versionBytes) }
  }
}

export function* iterateSlots(
  tables: StateTables,
  at: ReadPoint,
  address: Uint8Array,
  { storageRoot, incarnation }: StoredAccount,
  from?: Uint8Array,
): Generator<DumpedSlot> {
  if (storageRoot === emptyRoot) return
  const source = openStorageTrie(tables, at, address, incarnation)
  for (const { key, path } of iterateLeaves(source, from)) {
    const value = tables.slots.load(concatKey(source.prefix.subarray(1), key), at.height, at.pinned)
    if (!value) throw new Error('a leaf has no slot row')
    yield { hash: path, slot: key, value }
  }
}

export const takePage = <T extends { readonly hash: Uint8Array }>(
  all: Generator<T>,
  limit: number,
): Page<T> => {
  const items: T[] = []
  for (const item of all) {
    if (items.length === limit) return { items, next: item.hash }
    items.push(item)
  }
  return { items, next: undefined }
}
