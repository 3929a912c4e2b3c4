import { closeSync, mkdirSync, openSync, readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { deserialize, serialize } from 'node:v8'
import { crc32 } from 'node:zlib'
import { removeLeftovers, replaceFileSync } from '../../base/files/atomicFile.ts'
import { writeAll } from '../../base/files/writeAll.ts'
import type { FilterKind } from './kinds.ts'

/** A filter as it is kept across restarts. */
export interface StoredFilter {
  readonly id: bigint
  readonly criteria: FilterKind
  /** The address of its client. */
  readonly owner: string
  readonly first: number
  readonly last: number
  readonly since: number
  readonly next: number
  /** When it was used last, in milliseconds since 1970. */
  readonly usedAt: number
}

/** One record of the file: a new filter, one that was polled, or one that is gone. */
type JournalRecord =
  | ({ readonly kind: 'added' } & StoredFilter)
  | {
      readonly kind: 'polled'
      readonly id: bigint
      readonly since: number
      readonly next: number
      readonly usedAt: number
    }
  | { readonly kind: 'removed'; readonly id: bigint }

const headerBytes = 8

const encode = (record: JournalRecord): Buffer => {
  const payload = serialize(record)
  const header = Buffer.alloc(headerBytes)
  header.writeUInt32LE(payload.length, 0)
  header.writeUInt32LE(crc32(payload), 4)
  return Buffer.concat([header, payload])
}

/** Returns the filters of a file, and how many records it has. It ends at the first record that is torn or damaged. */
const decode = (file: Buffer): { readonly filters: Map<bigint, StoredFilter>; readonly records: number } => {
  const filters = new Map<bigint, StoredFilter>()
  let records = 0
  for (let at = 0; at + headerBytes <= file.length; records++) {
    const end = at + headerBytes + file.readUInt32LE(at)
    const payload = file.subarray(at + headerBytes, end)
    if (end > file.length || crc32(payload) !== file.readUInt32LE(at + 4)) break
    const record = deserialize(payload) as JournalRecord // our own file, with its checksum
    if (record.kind === 'added') filters.set(record.id, record)
    else if (record.kind === 'removed') filters.delete(record.id)
    else {
      const { id, since, next, usedAt } = record
      const filter = filters.get(id)
      if (filter !== undefined) filters.set(id, { ...filter, since, next, usedAt })
    }
    at = end
  }
  return { filters, records }
}

/** Above this many records that say nothing any more the file is written anew. */
const maxStale = 16_384

/**
 * The filters of HTTP clients across restarts of a replica. A record is written before the answer of the poll is sent, so
 * that a killed process neither repeats nor leaves out what it had answered; a computer that loses power may repeat.
 */
export class FilterJournal {
  readonly #path: string
  readonly #onError: (error: unknown) => void
  #file: number
  #records = 0
  readonly #live: Map<bigint, StoredFilter>

  /** `onError` is called if the file cannot be written: filters go on, and are not kept until it can. */
  constructor(path: string, onError: (error: unknown) => void) {
    this.#path = path
    this.#onError = onError
    mkdirSync(dirname(path), { recursive: true })
    removeLeftovers(path)
    closeSync(openSync(path, 'a', 0o600))
    const { filters } = decode(readFileSync(path))
    this.#live = filters
    this.#file = this.#rewrite()
  }

  /** Returns the filters that the file held when it was opened, or that came since. */
  filters(): readonly StoredFilter[] {
    return [...this.#live.values()]
  }

  add(filter: StoredFilter): void {
    this.#live.set(filter.id, filter)
    this.#write({ kind: 'added', ...filter })
  }

  poll(id: bigint, since: number, next: number, usedAt: number): void {
    const filter = this.#live.get(id)
    if (filter === undefined) return
    this.#live.set(id, { ...filter, since, next, usedAt })
    this.#write({ kind: 'polled', id, since, next, usedAt })
  }

  remove(id: bigint): void {
    if (this.#live.delete(id)) this.#write({ kind: 'removed', id })
  }

  close(): void {
    closeSync(this.#file)
  }

  #write(record: JournalRecord): void {
    try {
      writeAll(this.#file, encode(record))
      if (++this.#records <= maxStale + 2 * this.#live.size) return
      const before = this.#file
      this.#file = this.#rewrite()
      closeSync(before)
    } catch (error) {
      this.#onError(error)
    }
  }

  /** Writes only what is live, and opens the new file. */
  #rewrite(): number {
    const records = [...this.#live.values()].map((filter) => encode({ kind: 'added', ...filter }))
    closeSync(replaceFileSync(this.#path, Buffer.concat(records), 0o600))
    this.#records = records.length
    return openSync(this.#path, 'a')
  }
}
