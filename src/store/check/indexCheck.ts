import { equalBytes } from '../../base/encoding/bytes.ts'
import type { Table } from '../../base/lmdb/lmdb.ts'
import { type Posting, toPageOrdinal } from '../index/postings.ts'
import { type Chunk, type PostingListUpdate, PostingTable } from '../index/postingTable.ts'

const isSame = (a: readonly number[], b: readonly number[]): boolean =>
  a.length === b.length && a.every((value, at) => value === b[at])

const isAfter = (posting: Posting, before: { number: number; page: number }): boolean =>
  toPageOrdinal(posting.number, posting.page) > toPageOrdinal(before.number, before.page)

/** Compares an index with the blocks that it covers: it must have all entries, in order, and no others. */
export class IndexCheck {
  readonly #name: string
  readonly #lists: PostingTable
  #expected = 0

  constructor(name: string, table: Table) {
    this.#name = name
    this.#lists = new PostingTable(table)
  }

  /** Checks the entries of a block against the expected ones. */
  *block(entries: readonly PostingListUpdate[]): Generator<string> {
    let missing = 0
    for (const { key, postings } of entries) {
      const cursor = this.#lists.cursor(key)
      for (const { number, page, runs } of postings) {
        const ordinal = toPageOrdinal(number, page)
        if (cursor.seek(ordinal) !== ordinal || !isSame(cursor.runs(), runs)) missing++
      }
      this.#expected += postings.length
    }
    if (missing > 0) yield `${missing} of its entries in ${this.#name} are wrong`
  }

  /**
   * Reports, after all blocks, entries of no block, and chunks that are out of order or not found by their
   * lists.
   */
  *rest(oldest: number, head: number): Generator<string> {
    let found = 0
    let isSound = true
    let tail: Chunk | undefined
    let before: { number: number; page: number } = { number: 0, page: -1 }
    const endList = (): boolean =>
      isSame(toNumberList(tail?.pagePosition), before.page < 0 ? [] : toNumberList(before))
    for (const chunk of this.#lists.chunks()) {
      if (chunk.kind === 'tail') {
        isSound &&= tail === undefined || endList()
        tail = chunk
        before = { number: 0, page: -1 }
        isSound &&= isOrdered(chunk.postings, chunk.pagePosition ?? before)
      } else {
        isSound &&= tail !== undefined && equalBytes(tail.list, chunk.list)
        isSound &&= isOrdered(chunk.postings, before)
        const last = chunk.postings.at(-1)
        isSound &&= last !== undefined && isSame(toNumberList(last), toNumberList(chunk.pagePosition))
        before = last ?? before
      }
      for (const { number } of chunk.postings) if (number >= oldest && number <= head) found++
    }
    isSound &&= tail === undefined || endList()
    if (!isSound) yield `chunks of ${this.#name} are not in order`
    if (found !== this.#expected) yield `${this.#name} has ${found} entries, ${this.#expected} are in use`
  }
}

const toNumberList = (position: { number: number; page: number } | undefined): number[] =>
  position ? [position.number, position.page] : []

const isOrdered = (postings: readonly Posting[], after: { number: number; page: number }): boolean =>
  postings.length > 0 && postings.every((posting, at) => isAfter(posting, postings[at - 1] ?? after))
