import type { LmdbEnvironment } from '../base/lmdb.ts'
import type { WorldChanges } from '../chain/world.ts'
import { decodeChangeList, encodeChangeList } from './changeList.ts'
import { NodeCache } from './nodeCache.ts'
import { prepareBlock } from './prepare.ts'
import { type PruningMode, preparePruning, pruningModes } from './prune.ts'
import { StateReader } from './reader.ts'
import { heightKey } from './rows.ts'
import { type Head, StateTables } from './tables.ts'

export interface StateOptions {
  readonly pruning?: PruningMode
  /** For the rows of the upper account trie. */
  readonly cacheBytes?: number
}

/** A block's state, worked out and not yet written. */
export interface PreparedState extends Head {
  /** Keys and values to be written. */
  readonly bytes: number
  /** Writes it all; for inside `environment.transact`, with whatever else belongs to the block. */
  write(): void
  /** To be called when the transaction has been committed. */
  settle(): void
}

/** The height is above the head, or its state has been given up. */
export class UnknownHeightError extends RangeError {
  override readonly name = 'UnknownHeightError'
  /** The earliest height that is kept; undefined before genesis. */
  readonly oldest: number | undefined

  constructor(height: number, oldest: number | undefined, newest: number | undefined) {
    super(
      `no state is kept for height ${height}: ${oldest === undefined ? 'there is none' : `${oldest} to ${newest} are`}`,
    )
    this.oldest = oldest
  }
}

/** The state of every kept height, with one writer and any number of readers in this and in other processes. */
export class StateStore {
  readonly tables: StateTables
  private readonly environment: LmdbEnvironment
  private readonly kept: number
  private readonly cache: NodeCache

  constructor(environment: LmdbEnvironment, options: StateOptions = {}) {
    this.environment = environment
    this.tables = new StateTables(environment)
    this.kept = pruningModes[options.pruning ?? 'archive']
    this.cache = new NodeCache(options.cacheBytes ?? 64 * 2 ** 20)
  }

  get head(): Head | undefined {
    return this.tables.head()
  }

  /** The oldest height that can be read. */
  get oldest(): number | undefined {
    return this.tables.oldest()
  }

  rootAt(height: number): Uint8Array {
    const head = this.tables.head()
    const oldest = this.tables.oldest()
    const root = this.tables.roots.get(heightKey(height))
    if (!root || !head || oldest === undefined || height > head.height || height < oldest) {
      throw new UnknownHeightError(height, oldest, head?.height)
    }
    return root
  }

  /** The state at a height, for as long as the height is kept. */
  reader(height: number): StateReader {
    return new StateReader(this.tables, height, this.rootAt(height))
  }

  /** The same, held in place until it is closed, whatever is committed, pruned or undone meanwhile. */
  pinnedReader(height: number): StateReader {
    const transaction = this.environment.pin()
    try {
      return new StateReader(this.tables, height, this.rootAt(height), transaction)
    } catch (error) {
      transaction.done()
      throw error
    }
  }

  /** Works out the state after the next block (any height for the first) and its root, and writes nothing. */
  prepare(height: number, changes: WorldChanges): PreparedState {
    const { tables } = this
    const head = tables.head()
    if (head && height !== head.height + 1) {
      throw new RangeError(`height ${height} does not follow ${head.height}`)
    }
    if (tables.importing() !== undefined) throw new Error('the import of a snapshot was not finished')
    const prepared = prepareBlock(tables, this.cache, head, height, changes)
    const oldest = tables.oldest() ?? height
    const pruning = preparePruning(tables, oldest, height - this.kept + 1)
    const list = encodeChangeList({ keys: prepared.writes.keys, dropped: prepared.dropped })
    const { root } = prepared
    return {
      height,
      root,
      bytes: prepared.code.reduce(
        (sum, [, code]) => sum + 32 + code.length,
        prepared.writes.bytes + list.length,
      ),
      write: () => {
        prepared.writes.write(tables)
        for (const [hash, code] of prepared.code) tables.code.put(hash, code)
        tables.changes.put(heightKey(height), list)
        tables.roots.put(heightKey(height), root)
        pruning?.write()
        tables.setOldest(pruning?.oldest ?? oldest)
        tables.setHead({ height, root })
      },
      settle: () => {
        for (const [path, row] of prepared.rows) this.cache.set(path, row)
        this.cache.settle(root)
      },
    }
  }

  /** A block whose state is all there is to commit. */
  async commit(height: number, changes: WorldChanges): Promise<Head> {
    const prepared = this.prepare(height, changes)
    await this.environment.transact(prepared.write)
    prepared.settle()
    return { height, root: prepared.root }
  }

  /** Takes back every height above `height`, for inside a transaction: removes what they wrote. */
  prepareUndo(height: number): () => void {
    const { tables } = this
    const head = tables.head()
    const root = this.rootAt(height)
    const removals: (readonly [table: number, key: Uint8Array, value: Uint8Array])[] = []
    for (let undone = head?.height ?? height; undone > height; undone--) {
      const row = tables.changes.get(heightKey(undone))
      if (!row) throw new Error(`no change list is kept for ${undone}`)
      for (const [table, keys] of decodeChangeList(row).keys.entries()) {
        for (const key of keys) {
          const value = tables.versioned[table as 0].exact(key, undone)
          if (!value) throw new Error(`the change list of ${undone} names a row that is missing`)
          removals.push([table, key, value])
        }
      }
    }
    return () => {
      for (const [table, key, value] of removals) tables.versioned[table as 0].table.remove(key, value)
      for (let undone = head?.height ?? height; undone > height; undone--) {
        tables.changes.remove(heightKey(undone))
        tables.roots.remove(heightKey(undone))
      }
      tables.setHead({ height, root })
    }
  }

  async undo(height: number): Promise<void> {
    await this.environment.transact(this.prepareUndo(height))
  }
}
