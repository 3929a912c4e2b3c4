import { concatBytes } from '../../base/encoding/bytes.ts'
import type { LmdbEnvironment, Table } from '../../base/lmdb/lmdb.ts'
import type { CallQuery } from '../../chain/port/calls.ts'
import { calleeKey, callerKey } from '../index/blockPostings.ts'
import { fromPageOrdinal, toPageOrdinal } from '../index/postings.ts'
import { type PostingCursor, type PostingListUpdate, PostingTable } from '../index/postingTable.ts'
import { decodeNumber, encodeNumberKey } from '../tables/rowKeys.ts'

/**
 * The index of addresses in calls, in a file of its own: it can be built again from the chain at any time and follows the
 * head at its own pace. Turned off, it stays as it is; turned on again, it goes on from there.
 */
const tableNames = {
  /** key of a list of transactions → its postings (see index/postingTable.ts) */
  lists: 'calls.lists',
  /** a name of `metaKeys` → its value */
  meta: 'calls.meta',
} as const

const metaKeys = {
  /** number ‖ hash of the newest block that is indexed */
  newest: Buffer.from('newest'),
  /** number of the oldest block that is indexed */
  oldest: Buffer.from('oldest'),
}

/** The blocks that the index covers. */
export interface CallCoverage {
  readonly oldest: number
  readonly newest: number
  /** The hash of the newest block. */
  readonly hash: Uint8Array
}

export class CallIndexStore {
  readonly #environment: LmdbEnvironment
  readonly #lists: PostingTable
  readonly #rows: Table
  readonly #meta: Table

  constructor(environment: LmdbEnvironment) {
    this.#environment = environment
    const { lists, meta } = environment.openTables(() => ({
      lists: environment.table(tableNames.lists),
      meta: environment.table(tableNames.meta),
    }))
    this.#rows = lists
    this.#lists = new PostingTable(lists)
    this.#meta = meta
  }

  /** Returns the blocks that are indexed; undefined if there are none. */
  coverage(): CallCoverage | undefined {
    const newest = this.#meta.get(metaKeys.newest)
    const oldest = this.#meta.get(metaKeys.oldest)
    if (newest === undefined || oldest === undefined) return undefined
    return { oldest: decodeNumber(oldest), newest: decodeNumber(newest), hash: newest.slice(6) }
  }

  /** Adds the postings of the blocks after the newest one, or of the first ones, up to `coverage.newest`. */
  append(coverage: CallCoverage, updates: readonly PostingListUpdate[]): Promise<void> {
    return this.#environment.transact(() => {
      for (const update of updates) this.#lists.append(update)
      this.#putCoverage(coverage)
    })
  }

  /** Removes everything above a height; all lists are looked at, because nothing tells which of them have entries there. */
  revertTo(coverage: CallCoverage): Promise<void> {
    return this.#environment.transact(() => {
      const keys = new Set<string>()
      for (const key of this.#rows.getKeys({}))
        keys.add(Buffer.from(key.slice(0, listKeyBytes)).toString('hex'))
      for (const key of keys) this.#lists.removeAbove(Buffer.from(key, 'hex'), coverage.newest)
      this.#putCoverage(coverage)
    })
  }

  /** Tells that blocks below `coverage.oldest` are not covered any more; what there is of them is removed by `sweep`. */
  raise(coverage: CallCoverage): Promise<void> {
    return this.#environment.transact(() => this.#putCoverage(coverage))
  }

  /**
   * Removes the entries of blocks below a height from some of the lists, those from a key on. Returns the key of the next
   * list; undefined after the last.
   */
  async sweep(height: number, from: Uint8Array | undefined): Promise<Uint8Array | undefined> {
    let next: Uint8Array | undefined
    await this.#environment.transact(() => {
      next = from
      for (let lists = 0; lists < sweptLists; lists++) {
        const [key] = [...this.#rows.getKeys({ ...(next && { start: next }), limit: 1 })]
        if (key === undefined) {
          next = undefined
          return
        }
        const list = key.slice(0, listKeyBytes)
        this.#lists.removeBelow(list, height)
        next = concatBytes(list, afterChunks)
      }
    })
    return next
  }

  /** Removes everything, to begin again. */
  clear(): Promise<void> {
    return this.#environment.transact(() => {
      for (const key of [...this.#rows.getKeys({})]) this.#rows.remove(key)
      this.#meta.remove(metaKeys.newest)
      this.#meta.remove(metaKeys.oldest)
    })
  }

  /** Returns the blocks of a range in which calls may match, in order. Two addresses may share a list. */
  *blocks({ callers, callees, mode }: CallQuery, from: number, to: number): Generator<number> {
    const isUnion = mode === 'union'
    const groups = [callers.map(callerKey), callees.map(calleeKey)]
      .filter((keys) => keys.length > 0)
      .map((keys) => keys.map((key) => this.#lists.cursor(key)))
    if (groups.length === 0) throw new Error('a search for calls needs an address')
    for (let block = from; block <= to; block++) {
      const next = groups.map((cursors) => nextBlock(cursors, block))
      block = isUnion ? Math.min(...next) : Math.max(...next)
      if (!Number.isFinite(block) || block > to) return
      if (isUnion || next.every((number) => number === block)) yield block
      // The block of one list is asked of the others again.
      else block--
    }
  }

  close(): Promise<void> {
    return this.#environment.close()
  }

  #putCoverage({ oldest, newest, hash }: CallCoverage): void {
    this.#meta.put(metaKeys.newest, concatBytes(encodeNumberKey(newest), hash))
    this.#meta.put(metaKeys.oldest, encodeNumberKey(oldest))
  }
}

const listKeyBytes = 8
/** The lists of one sweep. */
const sweptLists = 2_000
/** Follows the key of a list, it is behind all chunks of that list. */
const afterChunks = new Uint8Array(listKeyBytes + 1).fill(0xff)

/** Returns the first block at or after a height in one of the lists; infinite if there is none. */
const nextBlock = (cursors: readonly PostingCursor[], height: number): number => {
  let least = Number.POSITIVE_INFINITY
  for (const cursor of cursors) {
    const ordinal = cursor.seek(toPageOrdinal(height, 0))
    if (Number.isFinite(ordinal)) least = Math.min(least, fromPageOrdinal(ordinal).number)
  }
  return least
}
