import { keccak256 } from '../../base/crypto/crypto.ts'
import { equalBytes } from '../../base/encoding/bytes.ts'
import { emptyCodeHash } from '../../chain/state/evmState.ts'
import { iterateAccounts } from '../reading/stateRange.ts'
import { emptyRoot, heightBytes, heightKey, readHeight } from '../rows/rows.ts'
import { readVersion, versionBytes } from '../rows/versionedTable.ts'
import type { StateStore } from '../stateStore.ts'
import type { StateTables } from '../stateTables.ts'
import { decodePiece } from '../trie/nodeTable.ts'
import { nodeRowAt } from '../trie/nodeVersion.ts'
import { openAccountTrie, openStorageTrie } from '../trie/storedTrie.ts'
import { HeightCheck, readAccount } from './height.ts'
import { checkOldestWrites } from './oldest.ts'
import { readWholeTrie } from './trie.ts'

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
 * Reads the state at the head against its root, and all that each of the last `heights` wrote against the root of that
 * height. If these are all that are kept, no row of any table may be left over: every one is read against a hash. The code
 * of accounts of a forked chain may be with the values of the remote chain.
 */
export const checkState = (
  store: StateStore,
  heights: number,
  isForked = false,
  onHeight: (checked: number, total: number) => void = () => {},
): StateCheck => new StateChecker(store, isForked).run(heights, onHeight)

/** Checks what the last `heights` wrote and nothing else; the cost depends on what they changed. */
export const checkNewestStates = (store: StateStore, heights: number): readonly string[] =>
  new StateChecker(store).runNewest(heights)

interface WholeState {
  accounts: number
  slots: number
  nodes: number
}

/** The rows of the versioned tables and of the trie nodes, counted by what the heights of the check say of them. */
interface RowCounts {
  readonly accounts: number
  readonly slots: number
  readonly nodes: number
}

class StateChecker {
  readonly #store: StateStore
  readonly #tables: StateTables
  readonly #problems: string[] = []
  readonly #isForked: boolean

  constructor(store: StateStore, isForked = false) {
    this.#isForked = isForked
    this.#store = store
    this.#tables = store.tables
  }

  run(heights: number, onHeight: (checked: number, total: number) => void): StateCheck {
    const { head, oldest } = this.#store
    const importing = this.#tables.importing()
    if (importing !== undefined)
      this.#report(`the import of a snapshot of height ${importing} was not finished`)
    const whole: WholeState = { accounts: 0, slots: 0, nodes: 0 }
    let checked = 0
    if (head && oldest !== undefined) {
      if (oldest > head.height) this.#report(`the oldest height is ${oldest}, the head ${head.height}`)
      this.#attempt('the head', () => {
        if (!equalBytes(this.#store.rootAt(head.height), head.root)) this.#report('the head has another root')
      })
      this.#checkWhole(head.height, head.root, whole)
      this.#checkAbove(head.height)
      this.#checkCode()
      this.#checkEdits(oldest, head.height)
      checked = Math.min(heights, head.height - oldest + 1)
      const isAll = checked === head.height - oldest + 1
      const written = this.#checkHeights(head.height - checked + 1, head.height, oldest, onHeight)
      if (isAll) this.#checkRows(oldest, head.height, whole, written)
    }
    return { head: head?.height, oldest, ...whole, heights: checked, problems: this.#problems }
  }

  runNewest(heights: number): readonly string[] {
    const { head, oldest } = this.#store
    if (!head || oldest === undefined) return []
    this.#attempt('the head', () => {
      if (!equalBytes(this.#store.rootAt(head.height), head.root)) this.#report('the head has another root')
    })
    this.#checkAbove(head.height)
    this.#checkHeights(Math.max(oldest, head.height - heights + 1), head.height, oldest)
    return this.#problems
  }

  /** Reads a whole state against its root. */
  #checkWhole(height: number, root: Uint8Array, counts: WholeState): void {
    const at = { height, pinned: undefined }
    this.#attempt(`the account trie of height ${height}`, () => {
      const { leaves, nodes } = readWholeTrie(openAccountTrie(this.#tables, at), root)
      counts.accounts = leaves
      counts.nodes += nodes
      for (const { address, account } of iterateAccounts(this.#tables, at)) {
        const name = Buffer.from(address).toString('hex')
        this.#attempt(`the account ${name}`, () => {
          readAccount(this.#tables, address, height)
          const isKept =
            equalBytes(account.codeHash, emptyCodeHash) || this.#tables.code.doesExist(account.codeHash)
          if (!isKept && !this.#isForked) this.#report(`the code of ${name} is missing`)
          if (account.storageRoot === emptyRoot) return
          const source = openStorageTrie(this.#tables, at, address, account.incarnation)
          const size = readWholeTrie(source, account.storageRoot)
          counts.slots += size.leaves
          counts.nodes += size.nodes
        })
      }
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

  /** Reads all code against the hashes under which it is stored. */
  #checkCode(): void {
    for (const { key, value } of this.#tables.code.getRange({}))
      if (!equalBytes(keccak256(value), key))
        this.#report(`the code ${Buffer.from(key).toString('hex')} has another hash`)
  }

  /** Reads the changes from outside a block. What became of them, the state of the next height says. */
  #checkEdits(oldest: number, head: number): void {
    const { edits } = this.#tables
    const last = edits.lastNumber()
    this.#attempt('the changes from outside a block', () => {
      for (const { height, number } of edits.keys()) {
        if (height < oldest || height > head || number > last)
          this.#report(`there is a change from outside a block of height ${height}`)
        for (const { account } of edits.read(height, number).accounts)
          if (
            account !== undefined &&
            !equalBytes(account.codeHash, emptyCodeHash) &&
            !this.#tables.code.doesExist(account.codeHash)
          )
            this.#report(`the code of a change of height ${height} is missing`)
      }
    })
  }

  /** Checks what heights wrote, and returns how many rows that are. The oldest has nothing that it could be checked by. */
  #checkHeights(
    from: number,
    to: number,
    oldest: number,
    onHeight: (checked: number, total: number) => void = () => {},
  ): RowCounts {
    const sum = { accounts: 0, slots: 0, nodes: 0 }
    for (let height = to; height >= from; height--) {
      onHeight(to - height, to - from + 1)
      this.#attempt(`height ${height}`, () => {
        const root = this.#store.rootAt(height)
        if (height === oldest) return
        const check = new HeightCheck(this.#tables, height, root, (problem) => this.#report(problem))
        const counts = check.run()
        sum.accounts += counts.accounts
        sum.slots += counts.slots
        sum.nodes += counts.nodes
      })
    }
    return sum
  }

  /**
   * Compares the number of rows of each table with what is known of them: those of the oldest state, and those that each
   * later height wrote. All of these were read, so that there is no other.
   */
  #checkRows(oldest: number, head: number, atHead: WholeState, written: RowCounts): void {
    const first: WholeState = { accounts: 0, slots: 0, nodes: 0 }
    if (oldest === head) Object.assign(first, atHead)
    else this.#attempt('the oldest state', () => this.#checkWhole(oldest, this.#store.rootAt(oldest), first))
    this.#attempt('the rows of the state', () => {
      const dropped = this.#droppedPrefixes()
      const { accounts, slots } = this.#tables
      this.#expect('accounts', this.#countVersions(accounts.table, oldest), first.accounts, written.accounts)
      const isDropped = (key: Uint8Array): boolean => dropped.has(toName(key.subarray(0, 26)))
      this.#expect('slots', this.#countVersions(slots.table, oldest, isDropped), first.slots, written.slots)
      this.#expect('trie nodes', this.#countNodes(oldest, dropped), first.nodes, written.nodes)
      this.#checkKeys('roots', this.#tables.roots, oldest, head)
      // A height that became the oldest by pruning has no change list any more.
      const isListed = this.#tables.changes.doesExist(heightKey(oldest))
      this.#checkKeys('change lists', this.#tables.changes, isListed ? oldest : oldest + 1, head)
      checkOldestWrites(this.#tables, oldest, first.nodes, (problem) => this.#report(problem))
    })
  }

  #expect(
    name: string,
    { old, later }: { readonly old: number; readonly later: number },
    inOldest: number,
    written: number,
  ): void {
    if (old !== inOldest) this.#report(`${old} ${name} are of the oldest state, ${inOldest} are in its tries`)
    if (later !== written) this.#report(`${later} ${name} were written later, ${written} are in change lists`)
  }

  #countVersions(
    table: StateTables['code'],
    oldest: number,
    isDropped: (key: Uint8Array) => boolean = () => false,
  ): { readonly old: number; readonly later: number } {
    let old = 0
    let later = 0
    for (const { key, value } of table.getRange({})) {
      if (readVersion(value) > oldest) later++
      else if (value.length > versionBytes && !isDropped(key)) old++
    }
    return { old, later }
  }

  #countNodes(
    oldest: number,
    dropped: ReadonlySet<string>,
  ): { readonly old: number; readonly later: number } {
    let old = 0
    let later = 0
    // The first state has no past. In a store that prunes, references into a past that is gone are not read any more.
    const isFirst = this.#tables.changes.doesExist(heightKey(oldest))
    const count = (key: Uint8Array, stored: Uint8Array): void => {
      if (isFirst && readHeight(stored, 0) <= oldest && !isZero(stored.subarray(heightBytes, nodeRowAt)))
        this.#report('a node of the first state has references to the past')
      if (readHeight(stored, 0) > oldest) later++
      else if (stored.length > nodeRowAt && !(key[0] === 1 && dropped.has(toName(key.subarray(1, 27))))) old++
    }
    const { nodes, history } = this.#tables.nodes
    for (const { key, value } of nodes.getRange({})) count(key, value)
    for (const { key, value } of history.getRange({}))
      if (readHeight(key, 0) > oldest)
        for (const { key: nodeKey, before } of decodePiece(value)) if (before) count(nodeKey, before)
    return { old, later }
  }

  /** Returns the storage that is about to be deleted; no account of a kept height may refer to it. */
  #droppedPrefixes(): ReadonlySet<string> {
    const prefixes = new Set<string>()
    for (const { key, value } of this.#tables.droppedStorage.getRange({})) {
      if (key.length !== 20 + heightBytes || value.length !== 1 || value[0] !== 1)
        this.#report('a row of the storage to be deleted is not as it was written')
      prefixes.add(toName(key))
    }
    return prefixes
  }

  /** Checks that a table by height has a row for each height of a range, and no other. */
  #checkKeys(name: string, table: StateTables['code'], from: number, to: number): void {
    let expected = from
    for (const { key } of table.getRange({})) {
      const height = readHeight(key, 0)
      if (key.length !== heightBytes || height !== expected) {
        this.#report(`the ${name} have no row for height ${expected}`)
        return
      }
      expected++
    }
    if (expected !== to + 1) this.#report(`the ${name} end at height ${expected - 1}`)
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

const isZero = (bytes: Uint8Array): boolean => bytes.every((byte) => byte === 0)

const toName = (bytes: Uint8Array): string => Buffer.from(bytes).toString('latin1')
