import type { Transaction } from 'lmdb'
import type { Table } from '../../base/lmdb/lmdb.ts'
import { copy, heightBytes, readHeight, writeHeight } from './rows.ts'

/**
 * A table that keeps every version of a row: the key is stored once, its values are `inverted height ‖ payload`, so
 * that the newest is the first (one plain get at the head) and the one in force at a height is one seek away.
 * An empty payload is a tombstone.
 */

export const versionBytes = heightBytes
const newestHeight = 2 ** 48 - 1

/** Writes a version; heights are inverted, so that they sort downwards. */
export const writeVersion = (target: Uint8Array, at: number, height: number): void =>
  writeHeight(target, at, newestHeight - height)

export const readVersion = (source: Uint8Array, at = 0): number => newestHeight - readHeight(source, at)

/** A range of lmdb-js that can be iterated again after its options changed, at half the cost of a new one. */
interface ReusableRange {
  iterate(): { next(): { readonly value?: Uint8Array }; return(): void }
}

interface SeekOptions {
  key: Uint8Array
  start: Uint8Array
  readonly valuesForKey: true
  readonly limit: 1
  transaction?: Transaction
}

export class VersionedTable {
  readonly table: Table
  /** The row that `find` found, valid until the next read. The payload is `versionBytes` to `end`. */
  bytes: Uint8Array
  end = 0
  #version = 0
  readonly #seekFrom = new Uint8Array(versionBytes)
  readonly #seekOptions: SeekOptions
  readonly #seekRange: ReusableRange

  constructor(table: Table) {
    this.table = table
    this.bytes = this.#seekFrom
    this.#seekOptions = { key: this.#seekFrom, start: this.#seekFrom, valuesForKey: true, limit: 1 }
    this.#seekRange = table.getRange(this.#seekOptions) as unknown as ReusableRange
  }

  /** Finds the row at this height and returns whether it is live. The caller may reuse the key at once. */
  find(key: Uint8Array, height: number, pinned?: { readonly transaction: Transaction }): boolean {
    const get = this.table.getBinaryFast as (key: Uint8Array, options?: object) => Uint8Array | undefined
    this.end = 0
    let bytes = get.call(this.table, key, pinned)
    if (bytes === undefined) return false
    let version = readVersion(bytes)
    if (version > height) {
      bytes = this.#seek(key, height, pinned?.transaction)
      if (bytes === undefined) return false
      version = readVersion(bytes)
    }
    this.bytes = bytes
    this.end = bytes.length
    this.#version = version
    return this.end > versionBytes
  }

  /** Returns a copy of the payload in force at this height. */
  load(
    key: Uint8Array,
    height: number,
    pinned?: { readonly transaction: Transaction },
  ): Uint8Array | undefined {
    if (!this.find(key, height, pinned)) return undefined
    return copy(this.bytes, versionBytes, this.end)
  }

  /** Returns every kept version of the row at this height or below, newest first, version included. */
  versionsUpTo(key: Uint8Array, height: number): Uint8Array[] {
    const start = new Uint8Array(versionBytes)
    writeVersion(start, 0, height)
    // Copied one by one: lmdb-js reads all of them into the same buffer.
    const versions: Uint8Array[] = []
    for (const value of this.table.getValues(key, { start })) versions.push(copyOf(value))
    return versions
  }

  /** Returns the row that is stored under exactly this version. */
  exact(key: Uint8Array, height: number): Uint8Array | undefined {
    this.find(key, height)
    return this.end > 0 && this.#version === height ? copyOf(this.bytes) : undefined
  }

  #seek(key: Uint8Array, height: number, transaction: Transaction | undefined): Uint8Array | undefined {
    writeVersion(this.#seekFrom, 0, height)
    this.#seekOptions.key = key
    if (transaction) this.#seekOptions.transaction = transaction
    else delete this.#seekOptions.transaction
    const iterator = this.#seekRange.iterate()
    const { value } = iterator.next()
    iterator.return()
    return value
  }
}

// The buffer of lmdb-js is longer than the value; its `length` property is the length of the value.
const copyOf = (bytes: Uint8Array): Uint8Array => copy(bytes, 0, bytes.length)
