import { keccak256 } from '../base/crypto/crypto.ts'
import { emptyBytes } from '../base/encoding/bytes.ts'
import { encodeRlp } from '../base/encoding/rlp.ts'
import type { AccountChange, StateChanges } from '../chain/state/evmState.ts'
import {
  type AccountStorage,
  decodeStorage,
  detachedStorage,
  emptyRoot,
  encodeAccount,
  encodeAccountRlp,
  noStorage,
  storagePrefix,
  trimWord,
} from './rows/rows.ts'
import { sortByBytes } from './rows/sortByBytes.ts'
import { versionBytes } from './rows/versionedTable.ts'
import { type StateHead, type StateTables, tableIndex } from './stateTables.ts'
import { commitTrie } from './trie/commitTrie.ts'
import { TrieNodeWrites } from './trie/nodeWrites.ts'
import { concatKey, openAccountTrie, openStorageTrie, type StoredTrie } from './trie/storedTrie.ts'
import type { MergeListener, TrieChange } from './trie/update.ts'
import { WriteSet } from './writeSet.ts'

/** The rows that a block will write, and the root after it. Nothing is written yet. */
export interface PreparedChanges {
  readonly root: Uint8Array
  readonly flat: WriteSet
  readonly accountNodes: TrieNodeWrites
  readonly slotNodes: TrieNodeWrites
  /** address ‖ incarnation of storage that is dropped as a whole. */
  readonly dropped: readonly Uint8Array[]
  /** The code that is not stored yet. */
  readonly code: StateChanges['code']
}

/** Returns who is notified of the trie nodes of one trie that take the place of their branch. */
export type MergeListeners = (source: StoredTrie) => MergeListener

export interface PrepareOptions {
  readonly isForked: boolean
  readonly mergeListeners?: MergeListeners | undefined
}

/**
 * Applies the changes to the state at `base`, and returns the rows to write at `height`. On a forked chain the rows are what
 * was changed here: a missing one is the remote's, so that deletions and zeros are written too.
 */
export const prepareBlock = (
  tables: StateTables,
  base: StateHead | undefined,
  height: number,
  changes: StateChanges,
  options: PrepareOptions,
): PreparedChanges => {
  const preparer = new ChangePreparer(tables, base?.height ?? -1, height, options)
  for (const change of sortByBytes(changes.accounts, ({ address }) => address)) preparer.account(change)
  const accountNodes = new TrieNodeWrites(height)
  const accounts = openAccountTrie(tables, { height: preparer.baseHeight, pinned: undefined })
  const root = commitTrie(
    accounts,
    sortByBytes(preparer.leaves, ({ path }) => path),
    tables.nodes,
    accountNodes,
    options.mergeListeners?.(accounts),
  )
  return {
    root: root ?? base?.root ?? emptyRoot,
    flat: preparer.flat,
    accountNodes,
    slotNodes: preparer.slotNodes,
    dropped: preparer.dropped,
    code: changes.code.filter(([hash]) => !tables.code.doesExist(hash)),
  }
}

/** A buffer for the previous account row, which the next read would overwrite. */
const rowBefore = new Uint8Array(160)

class ChangePreparer {
  readonly baseHeight: number
  readonly flat: WriteSet
  readonly slotNodes: TrieNodeWrites
  readonly leaves: TrieChange[] = []
  readonly dropped: Uint8Array[] = []
  readonly #tables: StateTables
  readonly #height: number
  readonly #isForked: boolean
  readonly #mergeListeners: MergeListeners | undefined

  constructor(
    tables: StateTables,
    baseHeight: number,
    height: number,
    { isForked, mergeListeners }: PrepareOptions,
  ) {
    this.#tables = tables
    this.#isForked = isForked
    this.#mergeListeners = mergeListeners
    this.baseHeight = baseHeight
    this.#height = height
    this.flat = new WriteSet(height)
    this.slotNodes = new TrieNodeWrites(height)
  }

  account(change: AccountChange): void {
    const { address, account } = change
    const { accounts } = this.#tables
    const isLive = accounts.find(address, this.baseHeight)
    const rowLength = isLive ? accounts.end - versionBytes : 0
    const isDeleted = !isLive && accounts.end > 0
    for (let i = 0; i < rowLength; i++) rowBefore[i] = accounts.bytes[versionBytes + i] as number
    const before =
      rowLength > 0 ? decodeStorage(rowBefore, 0) : this.#isForked && isDeleted ? detachedStorage : noStorage
    if (!account) {
      if (rowLength === 0 && (isDeleted || !this.#isForked)) return
      this.#drop(address, before)
      this.flat.add(tableIndex.accounts, address, emptyBytes)
      this.leaves.push({ key: address, path: keccak256(address), value: undefined })
      return
    }
    const row = encodeAccount(account, this.#storage(change, before))
    if (row.length === rowLength && row.every((byte, i) => byte === rowBefore[i])) return
    this.flat.add(tableIndex.accounts, address, row)
    this.leaves.push({ key: address, path: keccak256(address), value: encodeAccountRlp(row, 0) })
  }

  #storage({ address, storage, storageCleared }: AccountChange, before: AccountStorage): AccountStorage {
    let start = before
    if (storageCleared) {
      this.#drop(address, before)
      start = this.#isForked ? detachedStorage : noStorage
    }
    if (storage.length === 0) return start
    const { isDetached } = start
    const isRemote = this.#isForked && isDetached === undefined
    const isFresh = !isRemote && start.storageRoot === emptyRoot
    const incarnation = isFresh ? this.#height : start.incarnation
    const prefix = storagePrefix(address, incarnation)
    const leaves: TrieChange[] = []
    for (const [slot, word] of sortByBytes(storage, ([slot]) => slot)) {
      const key = concatKey(prefix, slot)
      const value = trimWord(word)
      if (this.#isSame(key, value, isFresh, isRemote)) continue
      this.flat.add(tableIndex.slots, key, value)
      leaves.push({
        key: slot,
        path: keccak256(slot),
        value: value.length > 0 ? encodeRlp(value) : undefined,
      })
    }
    if (leaves.length === 0) return start
    const at = { height: this.baseHeight, pinned: undefined }
    const slots = openStorageTrie(this.#tables, at, address, incarnation)
    const storageRoot = commitTrie(
      slots,
      sortByBytes(leaves, ({ path }) => path),
      this.#tables.nodes,
      this.slotNodes,
      this.#mergeListeners?.(slots),
    )
    return { storageRoot: storageRoot ?? start.storageRoot, incarnation, isDetached }
  }

  #isSame(key: Uint8Array, value: Uint8Array, isFresh: boolean, isRemote: boolean): boolean {
    const { slots } = this.#tables
    if (isFresh) return value.length === 0
    if (!slots.find(key, this.baseHeight)) return value.length === 0 && !(isRemote && slots.end === 0)
    if (slots.end - versionBytes !== value.length) return false
    for (let i = 0; i < value.length; i++) if (slots.bytes[versionBytes + i] !== value[i]) return false
    return true
  }

  #drop(address: Uint8Array, { storageRoot, incarnation }: AccountStorage): void {
    if (storageRoot !== emptyRoot) this.dropped.push(storagePrefix(address, incarnation))
  }
}
