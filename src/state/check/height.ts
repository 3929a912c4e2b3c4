import { keccak256 } from '../../base/crypto/crypto.ts'
import { equalBytes } from '../../base/encoding/bytes.ts'
import { decodeChangeList, encodeChangeList } from '../rows/changeList.ts'
import {
  decodeAccount,
  emptyRoot,
  encodeAccount,
  heightBytes,
  heightKey,
  readHeight,
  type StoredAccount,
  storagePrefix,
} from '../rows/rows.ts'
import type { StateTables } from '../stateTables.ts'
import { applyDelta, writeDelta } from '../trie/nodeDelta.ts'
import { decodePiece, isCanonicalPiece, type Replaced } from '../trie/nodeTable.ts'
import { nodeRowAt } from '../trie/nodeVersion.ts'
import { writeVersionHeader } from '../trie/nodeWrites.ts'
import { openAccountTrie, openStorageTrie, type StoredTrie } from '../trie/storedTrie.ts'
import { hasRoot, PathReader } from './trie.ts'

/** What a height added to the tables. */
export interface HeightCounts {
  readonly accounts: number
  readonly slots: number
  readonly nodes: number
}

const addressBytes = 20

/** Returns an account's row at a height; throws if it is not as it was written. */
export const readAccount = (
  tables: StateTables,
  address: Uint8Array,
  height: number,
): StoredAccount | undefined => {
  const row = tables.accounts.load(address, height)
  if (!row) return undefined
  const account = decodeAccount(row, 0)
  if (!equalBytes(encodeAccount(account, account), row))
    throw new Error('an account is not as it was written')
  return account
}

const name = (bytes: Uint8Array): string => Buffer.from(bytes).toString('latin1')

/**
 * Checks everything that one height wrote: that each changed account and slot is in the tries whose root the height has,
 * that its change list names exactly these, and that its history leads from each trie node to the one before.
 */
export class HeightCheck {
  readonly #tables: StateTables
  readonly #height: number
  readonly #root: Uint8Array
  readonly #report: (problem: string) => void
  readonly #met = new Set<string>()
  /** The tries that the height changed, by the prefix of their nodes. */
  readonly #tries = new Map<string, PathReader>()

  constructor(tables: StateTables, height: number, root: Uint8Array, report: (problem: string) => void) {
    this.#tables = tables
    this.#height = height
    this.#root = root
    this.#report = (problem) => report(`height ${height}: ${problem}`)
  }

  run(): HeightCounts {
    const row = this.#tables.changes.get(heightKey(this.#height))
    if (!row) throw new Error('there is no change list')
    const list = decodeChangeList(row)
    if (!equalBytes(encodeChangeList(list), row)) this.#report('the change list is not as it was written')
    const [accounts = [], slots = []] = list.keys.map((keys) => keys.map((key) => Uint8Array.from(key)))
    this.#checkVersions(0, accounts)
    this.#checkVersions(1, slots)
    const slotsByPrefix = new Map<string, Uint8Array[]>()
    for (const key of slots) {
      const prefix = name(key.subarray(0, addressBytes + heightBytes))
      const keys = slotsByPrefix.get(prefix)
      if (keys) keys.push(key)
      else slotsByPrefix.set(prefix, [key])
    }
    const trie = this.#openTrie(openAccountTrie(this.#tables, this.#point), this.#root)
    for (const address of accounts) this.#checkAccount(address, trie)
    for (const keys of slotsByPrefix.values()) this.#checkSlots(keys)
    this.#checkDropped(accounts, slotsByPrefix, list.dropped)
    return { accounts: accounts.length, slots: slots.length, nodes: this.#checkNodes() }
  }

  #openTrie(source: StoredTrie, root: Uint8Array): PathReader {
    const trie = new PathReader(source, { height: this.#height, root }, this.#met)
    this.#tries.set(name(source.prefix), trie)
    return trie
  }

  get #point() {
    return { height: this.#height, pinned: undefined }
  }

  #checkVersions(table: 0 | 1, keys: readonly Uint8Array[]): void {
    const known = new Set<string>()
    for (const key of keys) {
      if (known.has(name(key))) this.#report('the change list names a key twice')
      known.add(name(key))
      if (!this.#tables.versioned[table].exact(key, this.#height))
        this.#report('the change list names a version that is missing')
    }
  }

  #checkAccount(address: Uint8Array, trie: PathReader): void {
    const account = readAccount(this.#tables, address, this.#height)
    const leaf = trie.leaf(keccak256(address))
    if ((account === undefined) !== (leaf === undefined) || (leaf && !equalBytes(leaf, address)))
      this.#report('a changed account and the trie differ')
    if (account === undefined || account.storageRoot === emptyRoot) return
    const source = openStorageTrie(this.#tables, this.#point, address, account.incarnation)
    if (!hasRoot(source, account.storageRoot))
      this.#report('the storage of a changed account has another root')
  }

  /** Checks the changed slots of one account. */
  #checkSlots(keys: readonly Uint8Array[]): void {
    const [first] = keys as [Uint8Array]
    const address = first.slice(0, addressBytes)
    const incarnation = readHeight(first, addressBytes)
    const account = readAccount(this.#tables, address, this.#height)
    const isLive = account !== undefined && account.incarnation === incarnation
    const root = isLive ? account.storageRoot : emptyRoot
    const source = openStorageTrie(this.#tables, this.#point, address, incarnation)
    const trie = this.#openTrie(source, root)
    for (const key of keys) {
      const slot = key.subarray(addressBytes + heightBytes)
      const isSet = this.#tables.slots.find(key, this.#height)
      const leaf = trie.leaf(keccak256(slot))
      if (isSet !== (leaf !== undefined) || (leaf && !equalBytes(leaf, slot)))
        this.#report('a changed slot and the trie differ')
    }
  }

  /** Storage is dropped as a whole with its account or its incarnation; where only its slots became zero it is not. */
  #checkDropped(
    accounts: readonly Uint8Array[],
    slots: ReadonlyMap<string, unknown>,
    dropped: readonly Uint8Array[],
  ): void {
    const expected: string[] = []
    for (const address of accounts) {
      const before = readAccount(this.#tables, address, this.#height - 1)
      if (before === undefined || before.storageRoot === emptyRoot) continue
      const after = readAccount(this.#tables, address, this.#height)
      const prefix = name(storagePrefix(address, before.incarnation))
      const isKept = after?.storageRoot !== emptyRoot && after?.incarnation === before.incarnation
      if (!isKept && (after === undefined || !slots.has(prefix))) expected.push(prefix)
    }
    const named = dropped.map(name)
    if (named.join() !== expected.join()) this.#report('the change list names other storage as dropped')
  }

  #checkNodes(): number {
    let count = 0
    for (const [pieceKey, piece] of this.#tables.nodes.pieces(this.#height)) {
      const entries = [...decodePiece(piece)].map(copyEntry)
      if (!isCanonicalPiece(piece, entries)) this.#report('a piece of the history is not as it was written')
      const [first] = entries
      if (!first || !equalBytes(pieceKey.subarray(heightBytes), first.key))
        this.#report('a piece of the history is in the wrong place')
      for (const entry of entries) this.#checkReplaced(entry)
      count += entries.length
    }
    return count
  }

  #checkReplaced({ key, before, isDelta, isDeleted }: Replaced): void {
    const stored = this.#tables.nodes.versionAt(key, this.#height)
    if (!stored || readHeight(stored, 0) !== this.#height) return this.#report('a changed node is missing')
    if (isDeleted !== (stored.length === nodeRowAt)) this.#report('a deleted node and its history differ')
    const header = new Uint8Array(nodeRowAt)
    writeVersionHeader(header, 0, this.#height, before)
    if (!equalBytes(header, stored.subarray(0, nodeRowAt)))
      this.#report('a node has wrong references to the past')
    if (before && readHeight(before, 0) >= this.#height) this.#report('a node replaced a newer one')
    if (before && isDelta && !isCanonicalDelta(before, stored))
      this.#report('a difference in the history is not as it was written')
    if (!isDeleted && !this.#met.has(name(key)) && !this.#isInTrie(key))
      this.#report('a changed node is in no trie')
  }

  /** A node that moved because another path branches off above it is beside the paths of what changed. */
  #isInTrie(key: Uint8Array): boolean {
    const prefixLength = key[0] === 0 ? 1 : 1 + addressBytes + heightBytes
    const trie = this.#tries.get(name(key.subarray(0, prefixLength)))
    return trie?.hasNode(key.subarray(prefixLength + 1)) ?? false
  }
}

/** The piece is in lmdb's memory only until the next read. */
const copyEntry = ({ key, before, ...flags }: Replaced): Replaced => ({
  key: Uint8Array.from(key),
  before: before && Uint8Array.from(before),
  ...flags,
})

/** What was before is compared with its hash where it is read; this is about the bytes that it is kept as. */
const isCanonicalDelta = (delta: Uint8Array, after: Uint8Array): boolean => {
  const before = applyDelta(delta, after)
  const written = new Uint8Array(before.length)
  const end = writeDelta(written, 0, before, after)
  return end >= 0 && equalBytes(written.subarray(0, end), delta)
}
