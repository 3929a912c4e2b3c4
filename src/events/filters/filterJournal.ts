import { closeSync, mkdirSync, readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { deserialize, serialize } from 'node:v8'
import { removeLeftovers, replaceFileSync } from '../../base/files/atomicFile.ts'
import { openOwnFile } from '../../base/files/ownFile.ts'
import { appendRecords, encodeRecords, readRecords } from '../../base/files/recordFile.ts'
import type { Filter } from './kinds.ts'

/** A filter as it is kept across restarts. */
export interface StoredFilter
  extends Readonly<Pick<Filter, 'criteria' | 'first' | 'last' | 'since' | 'next'>> {
  readonly id: bigint
  /** The address of its client. */
  readonly owner: string
  /** When it was used last, in milliseconds since 1970. */
  readonly usedAt: number
}

/** Where a filter stands after blocks were reverted. */
export type MovedFilter = Pick<StoredFilter, 'id' | 'since' | 'next'>

/** One record of the file: a new filter, one that was polled or moved back, or one that is gone. */
type JournalRecord =
  | ({ readonly kind: 'added' } & StoredFilter)
  | ({ readonly kind: 'polled' } & Pick<StoredFilter, 'id' | 'since' | 'next' | 'usedAt'>)
  | { readonly kind: 'removed'; readonly id: bigint }

/** More than any filter has; a greater length is damage. */
const maxRecordBytes = 64 * 1024 * 1024

/** Returns the filters of a file. */
const decode = (file: Buffer): Map<bigint, StoredFilter> => {
  const filters = new Map<bigint, StoredFilter>()
  for (const payload of readRecords(file, maxRecordBytes).payloads) {
    const record = deserialize(payload) as JournalRecord // our own file, with its checksum
    if (record.kind === 'added') filters.set(record.id, record)
    else if (record.kind === 'removed') filters.delete(record.id)
    else {
      const { id, since, next, usedAt } = record
      const filter = filters.get(id)
      if (filter !== undefined) filters.set(id, { ...filter, since, next, usedAt })
    }
  }
  return filters
}

/** Above this many records that say nothing any more the file is rewritten. */
const maxStale = 16_384
/** How often a file that lacks records is tried to be rewritten. */
const retryMs = 1_000

/**
 * The filters of HTTP clients across restarts of a gateway. A record is written before the response of the poll is sent, so
 * that a killed process neither repeats nor leaves out what it had answered; a computer that loses power may repeat.
 */
export class FilterJournal {
  readonly #path: string
  readonly #onError: (error: unknown) => void
  readonly #append: typeof appendRecords
  #file: number
  #end = 0
  #records = 0
  /** When the file, which lacks records that could not be written, is rewritten; undefined if it has all. */
  #retryAt: number | undefined
  readonly #live: Map<bigint, StoredFilter>

  /** `onError` is called if the file cannot be written: filters go on, and are not kept until it can. */
  constructor(path: string, onError: (error: unknown) => void, append = appendRecords) {
    this.#append = append
    this.#path = path
    this.#onError = onError
    mkdirSync(dirname(path), { recursive: true })
    removeLeftovers(path)
    const before = openOwnFile(path, 'update')
    this.#live = decode(readFileSync(before))
    closeSync(before)
    this.#file = this.#rewrite()
  }

  /** Returns the filters that the file held when it was opened, or that came since. */
  filters(): readonly StoredFilter[] {
    return [...this.#live.values()]
  }

  add(filter: StoredFilter): void {
    this.#live.set(filter.id, filter)
    this.#write([{ kind: 'added', ...filter }])
  }

  poll(id: bigint, since: number, next: number, usedAt: number): void {
    const filter = this.#live.get(id)
    if (filter === undefined) return
    this.#live.set(id, { ...filter, since, next, usedAt })
    this.#write([{ kind: 'polled', id, since, next, usedAt }])
  }

  /** Records where a revert has moved filters, in one write. Nobody used them: they expire when they would have. */
  moveBack(moved: readonly MovedFilter[]): void {
    const records = moved.flatMap(({ id, since, next }): JournalRecord[] => {
      const filter = this.#live.get(id)
      if (filter === undefined) return []
      this.#live.set(id, { ...filter, since, next })
      return [{ kind: 'polled', id, since, next, usedAt: filter.usedAt }]
    })
    if (records.length > 0) this.#write(records)
  }

  remove(id: bigint): void {
    if (this.#live.delete(id)) this.#write([{ kind: 'removed', id }])
  }

  close(): void {
    closeSync(this.#file)
  }

  #write(records: readonly JournalRecord[]): void {
    if (this.#retryAt !== undefined && performance.now() < this.#retryAt) return
    let isAppended = false
    try {
      if (this.#retryAt === undefined) {
        this.#end = this.#append(
          this.#file,
          this.#end,
          records.map((record) => serialize(record)),
        )
        isAppended = true
        this.#records += records.length
        if (this.#records <= maxStale + 2 * this.#live.size) return
      }
      const before = this.#file
      this.#file = this.#rewrite()
      closeSync(before)
      this.#retryAt = undefined
    } catch (error) {
      // A file that is only too long still has everything.
      if (isAppended) this.#records = this.#live.size
      else this.#retryAt = performance.now() + retryMs
      this.#onError(error)
    }
  }

  /** Writes only what is live into a new file, and returns it. */
  #rewrite(): number {
    const bytes = encodeRecords(
      [...this.#live.values()].map((filter) => serialize({ kind: 'added', ...filter })),
    )
    const file = replaceFileSync(this.#path, bytes, 0o600)
    this.#end = bytes.length
    this.#records = this.#live.size
    return file
  }
}
