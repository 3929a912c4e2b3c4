import { emptyBytes } from '../base/encoding/bytes.ts'
import { versionBytes, writeVersion } from './rows/versionedTable.ts'
import type { StateTables } from './stateTables.ts'

const minSlabBytes = 1 << 12
const maxSlabBytes = 1 << 18

/**
 * The versions that one height adds to the flat tables, in the order of their keys. They are laid out in large slabs,
 * because lmdb-js looks up the address of each buffer that it has not seen.
 */
export class WriteSet {
  readonly keys: readonly [Uint8Array[], Uint8Array[]] = [[], []]
  /** The size of keys and values, in bytes. */
  bytes = 0
  readonly #values: readonly [Uint8Array[], Uint8Array[]] = [[], []]
  readonly #height: number
  #slab = emptyBytes
  #used = 0

  constructor(height: number) {
    this.#height = height
  }

  /** Adds a version; an empty payload is a tombstone. */
  add(table: 0 | 1, key: Uint8Array, payload: Uint8Array): void {
    const length = versionBytes + payload.length
    if (this.#used + length > this.#slab.length) {
      this.#slab = new Uint8Array(
        Math.max(length, minSlabBytes, Math.min(maxSlabBytes, 2 * this.#slab.length)),
      )
      this.#used = 0
    }
    const start = this.#used
    this.#used += length
    writeVersion(this.#slab, start, this.#height)
    for (let i = 0; i < payload.length; i++) this.#slab[start + versionBytes + i] = payload[i] as number
    this.keys[table].push(key)
    this.#values[table].push(this.#slab.subarray(start, this.#used))
    this.bytes += key.length + length
  }

  /** Writes every version; to be called inside a transaction. */
  write(tables: StateTables): void {
    for (const table of [0, 1] as const) {
      const keys = this.keys[table]
      const values = this.#values[table]
      const rows = tables.versioned[table].table
      for (let i = 0; i < keys.length; i++) rows.put(keys[i] as Uint8Array, values[i] as Uint8Array)
    }
  }
}
