import { crc32 } from 'node:zlib'
import type { Table } from '../../base/lmdb/lmdb.ts'
import { asBuffer, decodeNumber, encodeNumberKey } from './rowKeys.ts'

/** A snapshot of a dev chain as it is kept. */
export interface SnapshotRow {
  readonly id: number
  /** What it consists of, as JSON. */
  readonly text: string
}

const prefix = Buffer.from('snapshot:')
const crcBytes = 4

const toKey = (id: number): Buffer => Buffer.concat([prefix, encodeNumberKey(id)])

/**
 * The snapshots of a dev chain: a row each, so that one more costs the same however many there are. They are beside the
 * rows of `metaKeys` and not under their digest; each has a checksum of its own.
 */
export class SnapshotRows {
  readonly #table: Table

  constructor(table: Table) {
    this.#table = table
  }

  *#rows(): Generator<{ readonly id: number; readonly text: string; readonly isIntact: boolean }> {
    const end = Buffer.concat([prefix, Buffer.alloc(8, 0xff)])
    for (const { key, value } of this.#table.getRange({ start: prefix, end })) {
      const row = asBuffer(value)
      const json = row.subarray(crcBytes)
      const isIntact = row.length > crcBytes && crc32(json) === row.readUInt32BE(0)
      yield { id: decodeNumber(asBuffer(key).subarray(prefix.length)), text: json.toString(), isIntact }
    }
  }

  /** Returns all of them by their ids. */
  all(): readonly SnapshotRow[] {
    return [...this.#rows()].map(({ id, text }) => ({ id, text }))
  }

  count(): number {
    return [...this.#rows()].length
  }

  areIntact(): boolean {
    return [...this.#rows()].every(({ isIntact }) => isIntact)
  }

  put({ id, text }: SnapshotRow): void {
    const json = Buffer.from(text)
    const crc = Buffer.alloc(crcBytes)
    crc.writeUInt32BE(crc32(json))
    this.#table.put(toKey(id), Buffer.concat([crc, json]))
  }

  remove(id: number): void {
    this.#table.remove(toKey(id))
  }
}
