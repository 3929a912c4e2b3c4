import { keccak256 } from '../base/crypto.ts'
import { equalBytes } from '../base/encoding/bytes.ts'
import { emptyCodeHash } from '../chain/state/evmState.ts'
import { decodeChangeList } from './changeList.ts'
import { emptyRoot, heightKey, readHeight } from './rows.ts'
import { iterateAccounts } from './stateRange.ts'
import type { StateStore } from './store.ts'
import type { StateTables } from './tables.ts'
import { type Branch, decodeNode, Leaf, terminal } from './trie/node.ts'
import { nodeRowAt } from './trie/nodeTable.ts'
import {
  concatKey,
  openAccountTrie,
  openStorageTrie,
  type ReadPoint,
  type StoredTrie,
} from './trie/sources.ts'
import { encodeLeaf, encodeNode } from './trie/walk.ts'

export interface StateCheck {
  readonly head: number | undefined
  readonly oldest: number | undefined
  readonly accounts: number
  readonly slots: number
  readonly nodes: number
  readonly heights: number
  /** One line for each problem; empty if there is none. */
  readonly problems: readonly string[]
}

const maxProblems = 20

/**
 * Hashes the whole trie at the head again from the flat rows, and at each of the last `heights` the trie
 * nodes that it changed. Also finds flat rows that are in no trie, code that is missing or wrong, and broken
 * change lists.
 */
export const checkState = (store: StateStore, heights: number): StateCheck =>
  new StateChecker(store).run(heights)

class StateChecker {
  readonly #store: StateStore
  readonly #tables: StateTables
  readonly #problems: string[] = []
  #accounts = 0
  #slots = 0
  #nodes = 0

  constructor(store: StateStore) {
    this.#store = store
    this.#tables = store.tables
  }

  run(heights: number): StateCheck {
    const { head, oldest } = this.#store
    const importing = this.#tables.importing()
    if (importing !== undefined)
      this.#report(`the import of a snapshot of height ${importing} was not finished`)
    let checked = 0
    if (head && oldest !== undefined) {
      this.#checkHead({ height: head.height, pinned: undefined }, head.root)
      this.#checkAbove(head.height)
      for (let height = head.height; height >= oldest && checked < heights; height--, checked++) {
        this.#attempt(`height ${height}`, () => this.#checkHeight(height, height > oldest))
      }
    }
    const accounts = this.#accounts
    const slots = this.#slots
    const nodes = this.#nodes
    const problems = this.#problems
    return { head: head?.height, oldest, accounts, slots, nodes, heights: checked, problems }
  }

  #checkHead(at: ReadPoint, root: Uint8Array): void {
    this.#attempt('the account trie', () => {
      this.#expectRoot('the account trie', openAccountTrie(this.#tables, at), root)
      for (const { address, account } of iterateAccounts(this.#tables, at)) {
        this.#accounts++
        const name = Buffer.from(address).toString('hex')
        if (!equalBytes(account.codeHash, emptyCodeHash)) this.#checkCode(name, account.codeHash)
        if (account.storageRoot === emptyRoot) continue
        const source = openStorageTrie(this.#tables, at, address, account.incarnation)
        this.#attempt(`the storage of ${name}`, () => {
          const before = this.#slots
          this.#slots += this.#expectRoot(`the storage trie of ${name}`, source, account.storageRoot)
          this.#expectCount(
            `slots of ${name}`,
            this.#liveRows('slots', at.height, source.prefix.subarray(1)),
            this.#slots - before,
          )
        })
      }
      this.#expectCount('accounts', this.#liveRows('accounts', at.height), this.#accounts)
    })
  }

  /**
   * Reports rows above the head: each commit writes a root, a change list and a history, so that one above
   * the head is an incomplete commit.
   */
  #checkAbove(head: number): void {
    const { roots, changes, nodes } = this.#tables
    for (const [name, table] of Object.entries({ roots, 'change lists': changes, history: nodes.history })) {
      for (const key of table.getKeys({ start: heightKey(head + 1), limit: 1 })) {
        this.#report(`the ${name} go on to height ${readHeight(key, 0)}, above the head`)
      }
    }
  }

  #checkCode(name: string, codeHash: Uint8Array): void {
    const code = this.#tables.code.get(codeHash)
    if (!code) this.#report(`the code of ${name} is missing`)
    else if (!equalBytes(keccak256(code), codeHash)) this.#report(`the code of ${name} has another hash`)
  }

  /** Returns how many keys of a flat table are live at a height. */
  #liveRows(name: 'accounts' | 'slots', height: number, prefix?: Uint8Array): number {
    const table = this.#tables[name]
    const end = prefix && concatKey(prefix, new Uint8Array(33).fill(0xff))
    let live = 0
    for (const key of table.table.getKeys(prefix ? { start: prefix, end: end as Uint8Array } : {})) {
      if (table.find(key.slice(), height)) live++
    }
    return live
  }

  /** Hashes a trie from its leaves up, compares the root, and returns the number of leaves. */
  #expectRoot(name: string, source: StoredTrie, root: Uint8Array): number {
    const found = this.#hashSubtree(source, new Uint8Array(0))
    const hash = found ? keccak256(found.encoding) : emptyRoot
    if (!equalBytes(hash, root)) this.#report(`${name} hashes to ${Buffer.from(hash).toString('hex')}`)
    return found?.leaves ?? 0
  }

  #hashSubtree(source: StoredTrie, path: Uint8Array): { encoding: Uint8Array; leaves: number } | undefined {
    const stored = source.stored(path)
    if (!stored) return undefined
    const node = decodeNode(stored, source.rowAt)
    if (node instanceof Leaf) return { encoding: encodeLeaf(source, node, 0), leaves: 1 }
    this.#nodes++
    let leaves = node.has(terminal) ? 1 : 0
    const base = concatKey(path, node.extension)
    for (let i = 0; i < terminal; i++) {
      if (!node.has(i)) continue
      const childPath = concatKey(base, Uint8Array.of(i))
      const leaf = node.child(i)
      const child =
        leaf instanceof Leaf
          ? { encoding: encodeLeaf(source, leaf, childPath.length), leaves: 1 }
          : this.#hashSubtree(source, childPath)
      if (!child) throw new Error('a branch refers to a row that is missing')
      leaves += child.leaves
      if (!isReference(node, i, child.encoding)) {
        this.#report(
          `the node at ${Buffer.from(base).toString('hex') || 'the root'} does not refer to child ${i}`,
        )
      }
    }
    return { encoding: encodeNode(source, node), leaves }
  }

  /** Checks the root, and every trie node that the height changed against the reference in its parent. */
  #checkHeight(height: number, hasHistory: boolean): void {
    const root = this.#store.rootAt(height)
    const source = openAccountTrie(this.#tables, { height, pinned: undefined })
    const top = source.stored(new Uint8Array(0))
    const node = top && decodeNode(top, nodeRowAt)
    const encoding = node && (node instanceof Leaf ? encodeLeaf(source, node, 0) : encodeNode(source, node))
    if (!equalBytes(encoding ? keccak256(encoding) : emptyRoot, root))
      this.#report(`the root of height ${height} differs`)
    if (!hasHistory) return
    const list = this.#tables.changes.get(heightKey(height))
    if (!list) {
      this.#report(`height ${height} has no change list`)
      return
    }
    for (const [table, keys] of decodeChangeList(list).keys.entries()) {
      for (const key of keys) {
        if (!this.#tables.versioned[table as 0].exact(key, height))
          this.#report(`height ${height} lacks a version`)
      }
    }
    const changed = new Set<string>()
    for (const { key, isDeleted: isGone } of this.#tables.nodes.replacedBy(height)) {
      const stored = this.#tables.nodes.at(key, height)
      if (isGone === (stored !== undefined))
        this.#report(`height ${height} is wrong about a node that it deleted`)
      if (stored && readHeight(stored, 0) !== height)
        this.#report(`a node of height ${height} has another version`)
      if (stored && key[0] === 0) changed.add(Buffer.from(key.subarray(2)).toString('latin1'))
    }
    const met =
      node && !(node instanceof Leaf) ? this.#checkChanged(source, node, new Uint8Array(0), changed) : 0
    const expected = changed.size - (changed.has('') ? 1 : 0)
    if (met !== expected) this.#report(`height ${height} changed ${expected} nodes, ${met} hang together`)
  }

  /** Checks changed trie nodes below one whose encoding is known to be right, and returns their number. */
  #checkChanged(source: StoredTrie, node: Branch, path: Uint8Array, changed: ReadonlySet<string>): number {
    const base = concatKey(path, node.extension)
    let met = 0
    for (let i = 0; i < terminal; i++) {
      const at = concatKey(base, Uint8Array.of(i))
      if (!node.isNode(i) || !changed.has(Buffer.from(at).toString('latin1'))) continue
      const stored = source.stored(at)
      const child = stored && decodeNode(stored, source.rowAt)
      if (!child || child instanceof Leaf || !isReference(node, i, encodeNode(source, child))) {
        this.#report(`the node at ${Buffer.from(at).toString('hex')} is not what its parent refers to`)
        continue
      }
      met += 1 + this.#checkChanged(source, child, at, changed)
    }
    return met
  }

  #expectCount(name: string, found: number, expected: number): void {
    if (found !== expected) this.#report(`${found} ${name} have a row, ${expected} are in the trie`)
  }

  #attempt(name: string, work: () => void): void {
    try {
      work()
    } catch (error) {
      this.#report(`${name}: ${error instanceof Error ? error.message : String(error)}`)
    }
  }

  #report(problem: string): void {
    if (this.#problems.length < maxProblems) this.#problems.push(problem)
  }
}

const isReference = (branch: Branch, index: number, encoding: Uint8Array): boolean => {
  const ref = new Uint8Array(branch.refLength(index))
  branch.copyRef(index, ref, 0)
  return equalBytes(ref, encoding.length < 32 ? encoding : keccak256(encoding))
}
