import { type Branch, writeBranchRow } from './node.ts'
import type { StateTables } from './tables.ts'
import { versionBytes, writeVersion } from './versions.ts'

const slabBytes = 1 << 20
const largestBranchRow = 1200

/**
 * The rows that one height adds, table by table in the order of their keys. They are laid out in large slabs, because
 * lmdb-js looks up the address of each buffer that it has not seen.
 */
export class WriteSet {
  readonly keys: Uint8Array[][] = [[], [], [], []]
  readonly values: Uint8Array[][] = [[], [], [], []]
  /** Keys and values, in bytes. */
  bytes = 0
  readonly height: number
  private slab = new Uint8Array(slabBytes)
  private used = 0

  constructor(height: number) {
    this.height = height
  }

  /** An empty payload is a tombstone. */
  add(table: number, key: Uint8Array, payload: Uint8Array): void {
    const value = this.take(versionBytes + payload.length)
    writeVersion(value, 0, this.height)
    value.set(payload, versionBytes)
    this.push(table, this.keys[table]?.length ?? 0, key, value)
  }

  reserve(table: number): number {
    const keys = this.keys[table] as Uint8Array[]
    const values = this.values[table] as Uint8Array[]
    keys.push(this.slab)
    values.push(this.slab)
    return keys.length - 1
  }

  /** Fills a reserved place. The row it returns is without its version. */
  branch(table: number, place: number, prefix: Uint8Array, path: Uint8Array, branch: Branch): Uint8Array {
    const key = this.take(prefix.length + path.length)
    key.set(prefix)
    key.set(path, prefix.length)
    this.room(largestBranchRow + branch.extension.length)
    const start = this.used
    writeVersion(this.slab, start, this.height)
    const end = writeBranchRow(this.slab, start + versionBytes, branch)
    this.used = end
    const value = this.slab.subarray(start, end)
    this.push(table, place, key, value)
    return value.subarray(versionBytes)
  }

  /** Writes every row; for inside a transaction. */
  write(tables: StateTables): void {
    for (const [index, { table }] of tables.versioned.entries()) {
      const keys = this.keys[index] as Uint8Array[]
      const values = this.values[index] as Uint8Array[]
      for (let i = 0; i < keys.length; i++) table.put(keys[i] as Uint8Array, values[i] as Uint8Array)
    }
  }

  private push(table: number, place: number, key: Uint8Array, value: Uint8Array): void {
    const keys = this.keys[table] as Uint8Array[]
    const values = this.values[table] as Uint8Array[]
    keys[place] = key
    values[place] = value
    this.bytes += key.length + value.length
  }

  private take(length: number): Uint8Array {
    this.room(length)
    const start = this.used
    this.used += length
    return this.slab.subarray(start, this.used)
  }

  private room(length: number): void {
    if (this.used + length <= this.slab.length) return
    this.slab = new Uint8Array(Math.max(slabBytes, length))
    this.used = 0
  }
}
