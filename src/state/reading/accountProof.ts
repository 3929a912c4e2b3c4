import { keccak256 } from '../../base/crypto/crypto.ts'
import { decodeAccount, emptyRoot, type StoredAccount } from '../rows/rows.ts'
import { versionBytes } from '../rows/versionedTable.ts'
import type { StateTables } from '../stateTables.ts'
import { concatKey, openAccountTrie, openStorageTrie, type ReadPoint } from '../trie/storedTrie.ts'
import { createProof } from '../trie/walk.ts'

interface SlotProof {
  readonly slot: Uint8Array
  /** The value without leading zeros; empty for an unset slot. */
  readonly value: Uint8Array
  readonly proof: readonly Uint8Array[]
}

/**
 * The proof for `eth_getProof`: trie nodes from the root down that show the account, or that there is none.
 */
export interface AccountProof {
  readonly account: StoredAccount | undefined
  readonly proof: readonly Uint8Array[]
  readonly storage: readonly SlotProof[]
}

export const createAccountProof = (
  tables: StateTables,
  at: ReadPoint,
  address: Uint8Array,
  slots: readonly Uint8Array[],
): AccountProof => {
  const account = tables.accounts.find(address, at.height, at.pinned)
    ? decodeAccount(tables.accounts.bytes, versionBytes)
    : undefined
  return {
    account,
    proof: createProof(openAccountTrie(tables, at), keccak256(address)),
    storage: slots.map((slot) => createSlotProof(tables, at, address, account, slot)),
  }
}

const createSlotProof = (
  tables: StateTables,
  at: ReadPoint,
  address: Uint8Array,
  account: StoredAccount | undefined,
  slot: Uint8Array,
): SlotProof => {
  if (!account || account.storageRoot === emptyRoot) return { slot, value: new Uint8Array(0), proof: [] }
  const source = openStorageTrie(tables, at, address, account.incarnation)
  const key = concatKey(source.prefix.subarray(1), slot)
  return {
    slot,
    value: tables.slots.load(key, at.height, at.pinned) ?? new Uint8Array(0),
    proof: createProof(source, keccak256(slot)),
  }
}
