import type { LmdbEnvironment, Table } from '../../base/lmdb/lmdb.ts'
import type { StateChanges } from '../../chain/state/evmState.ts'
import { noChanges } from '../../chain/state/mergeChanges.ts'
import { ChangeIndex } from '../../chain/state/overlay.ts'
import { heightBytes, heightKey, readHeight, writeHeight } from '../rows/rows.ts'
import { decodeEdit, encodeEdit } from './editCodec.ts'

/** The name of the table: height ‖ number of the edit → the changed accounts (see `editCodec.ts`). */
export const editTableName = 'state.edits'

const keyBytes = 2 * heightBytes

/** The row of the state's meta table with the number of the last edit, also of one that was removed since. */
const lastNumberKey = Buffer.from('edit')

interface KnownEdits {
  readonly height: number
  /** The number of the newest edit. */
  readonly newest: number
  readonly index: ChangeIndex
}

/**
 * The changes that were made to states from outside a block. Those of a height were made while its block was the head; the
 * block after it starts from the state with them, and its own state holds them. They are kept so that this block can be
 * executed again.
 *
 * Each edit has a number that is never used twice, so that the newest number of a height tells what all of them are.
 */
export class StateEdits {
  readonly #table: Table | undefined
  readonly #meta: Table
  #known: KnownEdits | undefined

  constructor(environment: LmdbEnvironment, meta: Table) {
    this.#meta = meta
    // A file of an older version, open for reading, does not have the table.
    this.#table = environment.hasTable(editTableName) ? environment.table(editTableName) : undefined
  }

  /** Returns the number of the last edit, also of one that was removed since; 0 if there was never one. */
  lastNumber(): number {
    const row = this.#meta.get(lastNumberKey)
    return row ? readHeight(row, 0) : 0
  }

  /**
   * Returns the number of the newest edit of a height; 0 if there is none. Every read of a head asks for it, and most chains
   * have no edit ever: there it is the lookup of one row, which is written with the first edit, so that it is true in every
   * thread and process that reads the file.
   */
  newest(height: number): number {
    if (!this.#meta.doesExist(lastNumberKey)) return 0
    const range = { start: toKey(height + 1, 0), end: toKey(height, 0), reverse: true, limit: 1 }
    for (const key of this.#table?.getKeys(range) ?? []) {
      if (readHeight(key, 0) === height) return readHeight(key, heightBytes)
    }
    return 0
  }

  /** Returns whether an edit of a height is there and was not removed; 0 stands for none. */
  has(height: number, number: number): boolean {
    return number === 0 || this.#table?.doesExist(toKey(height, number)) === true
  }

  /** Returns all edits of a height as one change. */
  at(height: number): StateChanges {
    return this.#load(height)?.toChanges() ?? noChanges
  }

  /** Returns the same by address; undefined if there is none. */
  index(height: number): ChangeIndex | undefined {
    return this.#load(height)
  }

  /** Returns the heights and numbers of all edits, in their order. */
  *keys(): Generator<{ readonly height: number; readonly number: number }> {
    for (const key of this.#table?.getKeys({}) ?? []) {
      if (key.length !== keyBytes)
        throw new Error('a change from outside a block is stored under another key')
      yield { height: readHeight(key, 0), number: readHeight(key, heightBytes) }
    }
  }

  /** Reads one row; throws if it is missing or not as it was written. */
  read(height: number, number: number): StateChanges {
    const row = this.#table?.get(toKey(height, number))
    if (!row) throw new Error('a change from outside a block is missing')
    const changes = decodeEdit(row)
    if (Buffer.compare(encodeEdit(changes), row) !== 0)
      throw new Error('a change from outside a block is corrupt')
    return changes
  }

  /** Adds an edit under the next number; this and the other writes must be called inside a transaction. */
  add(height: number, changes: StateChanges): void {
    const number = this.lastNumber() + 1
    this.#writable().put(toKey(height, number), encodeEdit(changes))
    this.keepNumber(number)
  }

  /** Keeps the number of the last edit, which another chain in this file goes on from. */
  keepNumber(number: number): void {
    if (number > 0) this.#meta.put(lastNumberKey, heightKey(number))
  }

  /** Removes the edits of a height that are newer than one of them, and all edits of later heights. */
  removeAfter(height: number, number: number): void {
    for (const key of this.#keysFrom(toKey(height, number + 1))) this.#writable().remove(key)
  }

  /** Removes the edits of all heights below one. */
  removeBelow(height: number): void {
    const old = [...(this.#table?.getKeys({ end: heightKey(height) }) ?? [])].map((key) => key.slice())
    for (const key of old) this.#writable().remove(key)
  }

  #keysFrom(start: Uint8Array, limit?: number): Uint8Array[] {
    const range = { start, ...(limit === undefined ? {} : { limit }) }
    return [...(this.#table?.getKeys(range) ?? [])].map((key) => key.slice())
  }

  #load(height: number): ChangeIndex | undefined {
    const newest = this.newest(height)
    if (newest === 0) return undefined
    const known = this.#known?.height === height ? this.#known : undefined
    if (known?.newest === newest) return known.index
    const isLonger = known !== undefined && this.#table?.doesExist(toKey(height, known.newest)) === true
    const index = isLonger ? known.index : new ChangeIndex(noChanges)
    const start = toKey(height, isLonger ? known.newest + 1 : 0)
    for (const { value } of this.#table?.getRange({ start, end: toKey(height + 1, 0) }) ?? [])
      index.add(decodeEdit(value))
    this.#known = { height, newest, index }
    return index
  }

  #writable(): Table {
    if (this.#table === undefined) throw new Error(`${editTableName} is open for reading only`)
    return this.#table
  }
}

const toKey = (height: number, number: number): Uint8Array => {
  const key = new Uint8Array(keyBytes)
  writeHeight(key, 0, height)
  writeHeight(key, heightBytes, number)
  return key
}
