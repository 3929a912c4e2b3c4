import { DamagedFileError } from '../base/lmdb/file/damage.ts'
import type { LmdbEnvironment, Table } from '../base/lmdb/lmdb.ts'
import { editTableName, StateEdits } from './edits/edits.ts'
import { copy, heightKey, readHeight } from './rows/rows.ts'
import { VersionedTable } from './rows/versionedTable.ts'
import { TrieNodeTable } from './trie/nodeTable.ts'

/**
 * The version of the layout below; a store with a newer one is rejected.
 *
 *   schema   what changed
 *   1        the first
 *   2        the history of trie nodes has differences beside whole nodes; a store of 1 has nothing that reads otherwise,
 *            and is used as it is
 */
const schema = 2

/** The versioned tables, in the order of a change list. */
const versionedNames = [
  'state.accounts', // address → account row
  'state.slots', // address ‖ incarnation ‖ slot → value without leading zeros
] as const

/** The names of all tables; the sorted ones have many values for a key. */
export const stateTableNames = {
  sorted: versionedNames,
  plain: [
    'state.nodes',
    'state.nodeHistory',
    'state.code',
    'state.roots',
    'state.changes',
    'state.dead',
    'state.meta',
    editTableName,
  ],
} as const

export const tableIndex = { accounts: 0, slots: 1 } as const

export interface StateHead {
  readonly height: number
  readonly root: Uint8Array
}

const metaKeys = {
  schema: Buffer.from('schema'),
  /** height ‖ root */
  head: Buffer.from('head'),
  /** The oldest height whose state is kept. */
  oldest: Buffer.from('oldest'),
  /** The height whose snapshot is being imported. */
  importing: Buffer.from('importing'),
}

export class StateTables {
  readonly versioned: readonly [VersionedTable, VersionedTable]
  readonly accounts: VersionedTable
  readonly slots: VersionedTable
  /** 0x00 (accounts) or 0x01 ‖ address ‖ incarnation (storage), then band ‖ nibbles → node */
  readonly nodes: TrieNodeTable
  /** hash → code; never deleted, because it is valid at any height */
  readonly code: Table
  /** height → root */
  readonly roots: Table
  /** height → keys that got a version at this height */
  readonly changes: Table
  /** address ‖ incarnation: storage that no kept height refers to, to be deleted in steps */
  readonly droppedStorage: Table
  /** The changes from outside a block */
  readonly edits: StateEdits
  readonly #meta: Table

  constructor(environment: LmdbEnvironment) {
    const open = (name: string) => new VersionedTable(environment.sortedTable(name))
    this.accounts = open(versionedNames[0])
    this.slots = open(versionedNames[1])
    this.versioned = [this.accounts, this.slots]
    this.nodes = new TrieNodeTable(environment.table('state.nodes'), environment.table('state.nodeHistory'))
    this.code = environment.table('state.code')
    this.roots = environment.table('state.roots')
    this.changes = environment.table('state.changes')
    this.droppedStorage = environment.table('state.dead')
    this.#meta = environment.table('state.meta')
    this.edits = new StateEdits(environment, this.#meta)
    const found = this.#meta.get(metaKeys.schema)?.[0]
    if (found !== undefined && (found > schema || found === 0)) {
      throw new DamagedFileError(
        `${environment.path} has state of schema ${found}; this program reads ${schema}${found > schema ? ' and is older than the one that wrote it' : ''}`,
      )
    }
  }

  /** Returns the last committed height and root; undefined before genesis. */
  head(): StateHead | undefined {
    const row = this.#meta.get(metaKeys.head)
    return row && { height: readHeight(row, 0), root: copy(row, 6, 38) }
  }

  headHeight(): number | undefined {
    const row: Uint8Array | undefined = this.#meta.getBinaryFast(metaKeys.head)
    return row && readHeight(row, 0)
  }

  /** Returns the root of a height up to the head. */
  root(height: number): Uint8Array | undefined {
    const row = this.roots.get(heightKey(height))
    return row && copy(row, 0, 32)
  }

  oldest(): number | undefined {
    const row = this.#meta.get(metaKeys.oldest)
    return row && readHeight(row, 0)
  }

  importing(): number | undefined {
    const row = this.#meta.get(metaKeys.importing)
    return row && readHeight(row, 0)
  }

  /** Sets the head. This and the other setters must be called inside a transaction. */
  setHead(head: StateHead): void {
    this.#meta.put(metaKeys.schema, Uint8Array.of(schema))
    const row = new Uint8Array(38)
    row.set(heightKey(head.height))
    row.set(head.root, 6)
    this.#meta.put(metaKeys.head, row)
  }

  setOldest(height: number): void {
    this.#meta.put(metaKeys.oldest, heightKey(height))
  }

  /** Empties every table. */
  clear(): void {
    const { accounts, slots, nodes, code, roots, changes, droppedStorage } = this
    const meta = this.#meta
    for (const table of [
      accounts.table,
      slots.table,
      nodes.nodes,
      nodes.history,
      code,
      roots,
      changes,
      droppedStorage,
      meta,
    ]) {
      table.clearSync()
    }
    this.edits.removeAfter(0, 0)
  }

  setImporting(height: number | undefined): void {
    if (height === undefined) this.#meta.remove(metaKeys.importing)
    else this.#meta.put(metaKeys.importing, heightKey(height))
  }
}
