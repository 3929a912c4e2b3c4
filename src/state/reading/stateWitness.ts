import { keccak256 } from '../../base/crypto/crypto.ts'
import type { StateChanges } from '../../chain/state/evmState.ts'
import { prepareBlock } from '../prepareBlock.ts'
import { decodeAccount, emptyRoot, type StoredAccount } from '../rows/rows.ts'
import { versionBytes } from '../rows/versionedTable.ts'
import type { StateTables } from '../stateTables.ts'
import { openAccountTrie, openStorageTrie, type ReadPoint, type StoredTrie } from '../trie/storedTrie.ts'
import { Branch, type Leaf } from '../trie/trieNode.ts'
import type { MergeListener } from '../trie/update.ts'
import { createProof, encodeLeaf, encodeNode } from '../trie/walk.ts'

/** Nodes under 32 bytes are part of their parent. */
const hashedBytes = 32

/**
 * Collects the trie nodes of a state that somebody needs who has nothing but its root: those that lead to what was read, or
 * show that it is not there, and those from which the root after changes is computed. When a branch loses all children but
 * one, that one takes its place, and must be known too.
 */
export class StateWitness {
  readonly #tables: StateTables
  readonly #at: ReadPoint
  readonly #root: Uint8Array
  readonly #onNode: (bytes: number) => void
  readonly #accounts: StoredTrie
  /** The encodings as latin1 text, whose order is that of the bytes. */
  readonly #nodes = new Set<string>()
  /** The leaves that have taken the place of their branch: what they are after that is in no trie yet. */
  readonly #merged = new WeakSet<Leaf>()

  /** Creates a witness of the state at a height, without its edits. `onNode` is called with the size of each new node. */
  constructor(tables: StateTables, height: number, root: Uint8Array, onNode: (bytes: number) => void) {
    this.#tables = tables
    this.#at = { height, pinned: undefined }
    this.#root = root
    this.#onNode = onNode
    this.#accounts = openAccountTrie(tables, this.#at)
  }

  /** Adds the nodes that lead to an account and to some of its slots. */
  addRead(address: Uint8Array, slots: Iterable<Uint8Array>): void {
    for (const node of createProof(this.#accounts, keccak256(address))) this.#add(node)
    const account = this.#account(address)
    if (account === undefined || account.storageRoot === emptyRoot) return
    const source = openStorageTrie(this.#tables, this.#at, address, account.incarnation)
    for (const slot of slots) for (const node of createProof(source, keccak256(slot))) this.#add(node)
  }

  /** Adds the nodes that changes need, and returns the root after them. */
  addChanges(changes: StateChanges): Uint8Array {
    for (const { address, storage, storageCleared } of changes.accounts)
      this.addRead(address, storageCleared ? [] : storage.map(([slot]) => slot))
    const { height } = this.#at
    const base = { height, root: this.#root }
    const mergeListeners = (source: StoredTrie): MergeListener => this.#mergeListener(source)
    return prepareBlock(this.#tables, base, height + 1, changes, { isForked: false, mergeListeners }).root
  }

  /** Returns the encodings of the nodes, each once and in the order of their bytes. */
  *nodes(): Generator<Uint8Array> {
    for (const node of [...this.#nodes].sort()) yield Buffer.from(node, 'latin1')
  }

  #mergeListener(source: StoredTrie): MergeListener {
    return (child, depth) => {
      // What a change leads to is among the nodes already.
      if (child instanceof Branch) {
        if (!child.isChanged) this.#addHashed(encodeNode(source, child))
      } else if (child.value === undefined && !this.#merged.has(child)) {
        this.#merged.add(child)
        this.#addHashed(encodeLeaf(source, child, depth))
      }
    }
  }

  #account(address: Uint8Array): StoredAccount | undefined {
    const { accounts } = this.#tables
    const { height, pinned } = this.#at
    return accounts.find(address, height, pinned) ? decodeAccount(accounts.bytes, versionBytes) : undefined
  }

  #addHashed(node: Uint8Array): void {
    if (node.length >= hashedBytes) this.#add(node)
  }

  #add(node: Uint8Array): void {
    const text = Buffer.from(node.buffer, node.byteOffset, node.length).toString('latin1')
    if (this.#nodes.has(text)) return
    this.#nodes.add(text)
    this.#onNode(node.length)
  }
}
