import { toHex } from '../base/encoding/hex.ts'
import type { LmdbEnvironment } from '../base/lmdb/lmdb.ts'
import type { ChangedKeys, EvmStateReader, StateChanges } from '../chain/state/evmState.ts'
import type { ForkSource } from '../chain/state/forkSource.ts'
import { mergeChanges } from '../chain/state/mergeChanges.ts'
import { createIndexedOverlay } from '../chain/state/overlay.ts'
import { type PruningMode, preparePruning, pruningModes } from './history/prune.ts'
import { prepareRevert } from './history/revert.ts'
import { prepareBlock } from './prepareBlock.ts'
import { readChangedKeys } from './reading/changedKeys.ts'
import { StateReader } from './reading/stateReader.ts'
import { decodeChangeList, encodeChangeList } from './rows/changeList.ts'
import { heightKey } from './rows/rows.ts'
import { type StateHead, StateTables, tableIndex } from './stateTables.ts'

export interface StateOptions {
  readonly pruning?: PruningMode
  /** Returns the remote chain that this one is forked from; undefined if it is not forked. */
  readonly fork?: (() => ForkSource | undefined) | undefined
}

/** The state after a block, computed and not yet written. */
export interface PreparedState extends StateHead {
  /** The size of the keys and values to be written. */
  readonly bytes: number
  /**
   * Writes the state; to be called inside `environment.transact`, together with the other rows of the block.
   */
  write(): void
}

/** The error for a height that is above the head, or whose state is pruned. */
export class UnknownHeightError extends RangeError {
  override readonly name = 'UnknownHeightError'
  /** The oldest height that is kept; undefined before genesis. */
  readonly oldest: number | undefined

  constructor(height: number, oldest: number | undefined, newest: number | undefined) {
    super(
      `no state is kept for height ${height}: ${oldest === undefined ? 'there is none' : `${oldest} to ${newest} are`}`,
    )
    this.oldest = oldest
  }
}

/**
 * The states of all kept heights, with one writer and any number of readers in this and in other processes.
 */
export class StateStore {
  readonly tables: StateTables
  readonly #environment: LmdbEnvironment
  readonly #retainedHeights: number
  readonly #fork: () => ForkSource | undefined
  /** The head that clients of this thread know, where there are any: the next block is stored before they do. */
  servedHead: number | undefined

  constructor(environment: LmdbEnvironment, options: StateOptions = {}) {
    this.#environment = environment
    this.tables = new StateTables(environment)
    this.#retainedHeights = pruningModes[options.pruning ?? 'archive']
    this.#fork = options.fork ?? (() => undefined)
  }

  /** The remote chain that this one is forked from. */
  get fork(): ForkSource | undefined {
    return this.#fork()
  }

  get head(): StateHead | undefined {
    return this.tables.head()
  }

  /** The height of the head; undefined before genesis. */
  get headHeight(): number | undefined {
    return this.tables.headHeight()
  }

  /** The oldest height that can be read. */
  get oldest(): number | undefined {
    return this.tables.oldest()
  }

  rootAt(height: number): Uint8Array {
    const head = this.tables.head()
    const oldest = this.tables.oldest()
    const root = this.tables.root(height)
    if (!root || !head || oldest === undefined || height > head.height || height < oldest) {
      throw new UnknownHeightError(height, oldest, head?.height)
    }
    return root
  }

  /** Returns a reader of the state at a height, which is valid while the height is kept. */
  reader(height: number): StateReader {
    // Most reads are of the head, and ask for no root.
    const root = this.headHeight === height ? undefined : this.rootAt(height)
    return new StateReader(this.tables, height, root, this.fork)
  }

  /**
   * Returns the changes that were made to the state of a height from outside a block, while the height was the head. The
   * state of the height itself does not have them, that of the next one does.
   */
  edits(height: number): StateChanges {
    return this.tables.edits.at(height)
  }

  /** Returns the number of the newest of these changes; 0 if there is none. Equal numbers mean equal changes. */
  newestEdit(height: number): number {
    return this.tables.edits.newest(height)
  }

  /** Returns whether an edit of a height was not removed since. */
  hasEdit(height: number, number: number): boolean {
    return this.tables.edits.has(height, number)
  }

  /** Returns the state that the block after a height starts from: that of the height with its edits. */
  parentState(height: number): EvmStateReader {
    const reader = this.reader(height)
    const index = this.tables.edits.index(height)
    return index === undefined ? reader : createIndexedOverlay(reader, index)
  }

  /** Returns whether clients see edits at a height: they do while it is the head. */
  isEdited(height: number): boolean {
    return this.newestEdit(height) > 0 && (this.servedHead ?? this.tables.headHeight()) === height
  }

  /** Returns the state that clients see at a height: what it was when the next block was made, with its edits if there is none. */
  currentState(height: number): EvmStateReader {
    return this.isEdited(height) ? this.parentState(height) : this.reader(height)
  }

  /**
   * Returns a pinned reader, which sees the same state until it is closed, whatever is committed, pruned or
   * reverted.
   */
  pinnedReader(height: number): StateReader {
    const transaction = this.#environment.pinReadTransaction()
    try {
      return new StateReader(this.tables, height, this.rootAt(height), this.fork, transaction)
    } catch (error) {
      transaction.done()
      throw error
    }
  }

  /** Changes the state of the head from outside a block; returns a function to be called inside a transaction. */
  prepareEdit(changes: StateChanges): () => void {
    const { tables } = this
    const head = tables.head()
    if (head === undefined) throw new Error('there is no state yet')
    return () => {
      for (const [hash, bytes] of changes.code) tables.code.put(hash, bytes)
      tables.edits.add(head.height, changes)
    }
  }

  /**
   * Computes the state after the next block (any height for the first) and its root, and writes nothing. The changes are on
   * top of the edits of the head.
   */
  prepare(height: number, changes: StateChanges): PreparedState {
    const { tables } = this
    const head = tables.head()
    if (head && height !== head.height + 1) {
      throw new RangeError(`height ${height} does not follow ${head.height}`)
    }
    if (tables.importing() !== undefined) throw new Error('the import of a snapshot was not finished')
    const all = head === undefined ? changes : mergeChanges(this.edits(head.height), changes)
    const { root, flat, accountNodes, slotNodes, dropped, code } = this.#applied(head, height, all)
    const oldest = tables.oldest() ?? height
    const pruning = preparePruning(tables, oldest, height - this.#retainedHeights + 1)
    const list = encodeChangeList({ keys: flat.keys, dropped })
    const nodes = [accountNodes, slotNodes].map((writes) => [writes, writes.pieces()] as const)
    return {
      height,
      root,
      bytes:
        flat.bytes + list.length + sizeOf(code) + nodes.reduce((sum, [w, p]) => sum + w.bytes + sizeOf(p), 0),
      write: () => {
        // Pruning comes first, because a trie node may be written again where its tombstone is deleted.
        pruning?.write()
        flat.write(tables)
        for (const [writes, pieces] of nodes) writes.write(tables.nodes, pieces)
        for (const [hash, bytes] of code) tables.code.put(hash, bytes)
        tables.changes.put(heightKey(height), list)
        tables.roots.put(heightKey(height), root)
        if (pruning !== undefined) tables.edits.removeBelow(pruning.oldest)
        tables.setOldest(pruning?.oldest ?? oldest)
        tables.setHead({ height, root })
      },
    }
  }

  /**
   * Returns the keys of what the heights after `from` up to `to` changed; undefined if it is not known, or more than `limit`
   * of them. On a forked chain it is not known, because an account that begins there has its storage elsewhere.
   */
  changedKeys(from: number, to: number, limit: number): ChangedKeys | undefined {
    return this.fork === undefined ? readChangedKeys(this.tables, from, to, limit) : undefined
  }

  /** Returns the addresses of the accounts that the heights after `from` up to `to` changed, each once, in their order. */
  changedAccounts(from: number, to: number): readonly Uint8Array[] {
    const found = new Map<string, Uint8Array>()
    for (let height = from + 1; height <= to; height++) {
      const row = this.tables.changes.get(heightKey(height))
      if (row === undefined) throw new UnknownHeightError(height, this.oldest, this.head?.height)
      for (const key of decodeChangeList(row).keys[tableIndex.accounts] ?? [])
        found.set(toHex(key), key.slice())
    }
    return [...found].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, address]) => address)
  }

  /** Returns the root after applying the changes to the state of any kept height, without its edits. Nothing is written. */
  rootAfter(height: number, changes: StateChanges): Uint8Array {
    return this.#applied({ height, root: this.rootAt(height) }, height + 1, changes).root
  }

  #applied(base: StateHead | undefined, height: number, changes: StateChanges) {
    return prepareBlock(this.tables, base, height, changes, { isForked: this.fork !== undefined })
  }

  /** Commits a block that has nothing but its state. */
  async commit(height: number, changes: StateChanges): Promise<StateHead> {
    const prepared = this.prepare(height, changes)
    await this.#environment.transact(prepared.write)
    return { height, root: prepared.root }
  }

  /**
   * Returns a function that reverts every height above `height`, to be called inside a transaction. Of the edits of `height`
   * those up to the number `edit` stay, by default none.
   */
  prepareRevert(height: number, edit = 0): () => void {
    const root = this.rootAt(height)
    const head = this.tables.head() as StateHead
    const revert = prepareRevert(this.tables, head, { height, root })
    return () => {
      revert()
      this.tables.edits.removeAfter(height, edit)
    }
  }

  async revert(height: number): Promise<void> {
    await this.#environment.transact(this.prepareRevert(height))
  }
}

const sizeOf = (rows: readonly (readonly [Uint8Array, Uint8Array])[]): number =>
  rows.reduce((sum, [key, value]) => sum + key.length + value.length, 0)
