import { noBytes } from '../base/bytes.ts'
import { keccak256 } from '../base/crypto.ts'
import type { AccountChange, WorldChanges } from '../chain/world.ts'
import type { NodeCache } from './nodeCache.ts'
import {
  decodeAccount,
  emptyRoot,
  encodeAccount,
  type StoredAccount,
  storagePrefix,
  trimWord,
} from './rows.ts'
import { accountNodePrefix, accountRlp, accountSource, slotRlp, storageSource } from './sources.ts'
import { type Head, type StateTables, tableOf } from './tables.ts'
import { commitTrie } from './trieCommit.ts'
import type { TrieChange } from './trieUpdate.ts'
import { versionBytes } from './versions.ts'
import { WriteSet } from './writeSet.ts'

/** What a block will write, with the root it leads to. Nothing is written yet. */
export interface Preparation {
  readonly root: Uint8Array
  readonly writes: WriteSet
  /** address ‖ incarnation of storage that is gone as a whole. */
  readonly dropped: readonly Uint8Array[]
  readonly code: WorldChanges['code']
  /** Rows of the account trie to remember once the block is committed. */
  readonly rows: readonly (readonly [path: Uint8Array, row: Uint8Array | undefined])[]
}

/** Sorts by the first six bytes as a number, which nearly always decides. */
export const sortByBytes = <T>(items: readonly T[], bytesOf: (item: T) => Uint8Array): T[] => {
  const keyed = items.map((item) => {
    const bytes = bytesOf(item)
    let order = 0
    for (let i = 0; i < 6; i++) order = order * 256 + (bytes[i] as number)
    return { order, bytes, item }
  })
  keyed.sort((a, b) => a.order - b.order || Buffer.compare(a.bytes, b.bytes))
  for (let i = 1; i < keyed.length; i++) {
    const [before, after] = [keyed[i - 1], keyed[i]] as [(typeof keyed)[0], (typeof keyed)[0]]
    if (before.order === after.order && Buffer.compare(before.bytes, after.bytes) === 0) {
      throw new RangeError(`changed twice in one block: ${Buffer.from(after.bytes).toString('hex')}`)
    }
  }
  return keyed.map(({ item }) => item)
}

/** Works out what the changes make of the state at `base`, at `height`. */
export const prepareBlock = (
  tables: StateTables,
  cache: NodeCache,
  base: Head | undefined,
  height: number,
  changes: WorldChanges,
): Preparation => {
  const preparer = new Preparer(tables, base?.height ?? -1, height)
  for (const change of sortByBytes(changes.accounts, ({ address }) => address)) preparer.account(change)
  cache.expect(base?.root)
  const rows: [Uint8Array, Uint8Array | undefined][] = []
  const root = commitTrie(
    accountSource(tables, { height: preparer.baseHeight, pinned: undefined }, cache),
    sortByBytes(preparer.leaves, ({ path }) => path),
    {
      writes: preparer.writes,
      table: tableOf.accountNodes,
      prefix: accountNodePrefix,
      onRow: (path, row) => {
        rows.push([path.slice(), row?.slice()])
      },
    },
  )
  const code = changes.code.filter(([hash]) => !tables.code.doesExist(hash))
  return {
    root: root ?? base?.root ?? emptyRoot,
    writes: preparer.writes,
    dropped: preparer.dropped,
    code,
    rows,
  }
}

class Preparer {
  readonly baseHeight: number
  readonly writes: WriteSet
  readonly leaves: TrieChange[] = []
  readonly dropped: Uint8Array[] = []
  private readonly tables: StateTables
  private readonly height: number

  constructor(tables: StateTables, baseHeight: number, height: number) {
    this.tables = tables
    this.baseHeight = baseHeight
    this.height = height
    this.writes = new WriteSet(height)
  }

  account(change: AccountChange): void {
    const { address, account } = change
    const { accounts } = this.tables
    const exists = accounts.find(address, this.baseHeight)
    const before = exists ? decodeAccount(accounts.bytes, versionBytes) : undefined
    if (!account) {
      if (!before) return
      this.drop(address, before)
      this.writes.add(tableOf.accounts, address, noBytes)
      this.leaves.push({ key: address, path: keccak256(address), value: undefined })
      return
    }
    const after = { ...account, ...this.storage(change, before) }
    const row = encodeAccount(after)
    if (before && Buffer.compare(row, encodeAccount(before)) === 0) return
    this.writes.add(tableOf.accounts, address, row)
    this.leaves.push({ key: address, path: keccak256(address), value: accountRlp(after) })
  }

  private storage(
    { address, storage, storageCleared }: AccountChange,
    before: StoredAccount | undefined,
  ): Pick<StoredAccount, 'storageRoot' | 'incarnation'> {
    let storageRoot = before?.storageRoot ?? emptyRoot
    let incarnation = before?.incarnation ?? 0
    if (before && storageCleared) {
      this.drop(address, before)
      storageRoot = emptyRoot
    }
    if (storage.length === 0) return { storageRoot, incarnation }
    const isFresh = storageRoot === emptyRoot
    if (isFresh) incarnation = this.height
    const prefix = storagePrefix(address, incarnation)
    const leaves: TrieChange[] = []
    for (const [slot, word] of sortByBytes(storage, ([slot]) => slot)) {
      const key = new Uint8Array(prefix.length + 32)
      key.set(prefix)
      key.set(slot, prefix.length)
      const value = trimWord(word)
      if (this.isSame(key, value, isFresh)) continue
      this.writes.add(tableOf.slots, key, value)
      leaves.push({ key: slot, path: keccak256(slot), value: value.length > 0 ? slotRlp(value) : undefined })
    }
    if (leaves.length === 0) return { storageRoot, incarnation }
    const at = { height: this.baseHeight, pinned: undefined }
    const root = commitTrie(
      storageSource(this.tables, at, address, incarnation),
      sortByBytes(leaves, ({ path }) => path),
      { writes: this.writes, table: tableOf.slotNodes, prefix },
    )
    return { storageRoot: root ?? storageRoot, incarnation }
  }

  private isSame(key: Uint8Array, value: Uint8Array, isFresh: boolean): boolean {
    const { slots } = this.tables
    if (isFresh || !slots.find(key, this.baseHeight)) return value.length === 0
    if (slots.end - versionBytes !== value.length) return false
    for (let i = 0; i < value.length; i++) if (slots.bytes[versionBytes + i] !== value[i]) return false
    return true
  }

  private drop(address: Uint8Array, { storageRoot, incarnation }: StoredAccount): void {
    if (storageRoot !== emptyRoot) this.dropped.push(storagePrefix(address, incarnation))
  }
}
