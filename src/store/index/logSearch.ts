import { comma } from '../../base/json/jsonCodes.ts'
import type { Table } from '../../base/lmdb/lmdb.ts'
import type { BlockLogs, LogPattern } from '../../chain/port/logs.ts'
import { logTable } from '../packing/pages.ts'
import { allocate, copyInto, peek, Slab } from '../tables/peek.ts'
import { encodePageKey } from '../tables/rowKeys.ts'
import { type Candidate, findCandidates } from './logCandidates.ts'
import { createRowLogMatcher, type LogMatcher } from './logMatcher.ts'
import type { Runs } from './postings.ts'
import type { PostingTable } from './postingTable.ts'

class MatchedLogs implements BlockLogs {
  readonly number: number
  readonly text: Uint8Array
  /** The end of each log in the text. */
  readonly #ends: readonly number[]

  constructor(number: number, text: Uint8Array, ends: readonly number[]) {
    this.number = number
    this.text = text
    this.#ends = ends
  }

  get count(): number {
    return this.#ends.length
  }

  get logs(): readonly Uint8Array[] {
    let start = 0
    return this.#ends.map((end) => {
      const log = this.text.subarray(start, end)
      start = end + 1
      return log
    })
  }
}

const nothing = new Uint8Array()

/** The matching logs of one page, and the end of each in the text. */
interface PageLogs {
  readonly text: Uint8Array
  readonly ends: readonly number[]
}

/** Searches logs: finds pages that can match in the index, then matches their logs. */
export class LogSearch {
  readonly #lists: PostingTable
  readonly #receipts: Table

  constructor(lists: PostingTable, receipts: Table) {
    this.#lists = lists
    this.#receipts = receipts
  }

  *run(pattern: LogPattern, from: number, to: number): Generator<MatchedLogs> {
    const match = createRowLogMatcher(pattern)
    let pages: PageLogs[] = []
    let block = -1
    const slab = new Slab()
    for (const candidate of findCandidates(this.#lists, pattern, from, to)) {
      const { number, runs } = candidate
      const isProgress = runs.length === 0
      // A progress report may come in the middle of a block.
      if (pages.length > 0 && (isProgress ? number >= block : number !== block)) {
        yield joinPages(block, pages)
        pages = []
      }
      if (isProgress) yield new MatchedLogs(number, nothing, [])
      else {
        block = number
        const found = this.#read(candidate, match, slab)
        if (found !== undefined) pages.push(found)
      }
    }
    if (pages.length > 0) yield joinPages(block, pages)
  }

  /** Returns the matching logs of a page; undefined if none matches, or if the page was removed meanwhile. */
  #read({ number, page, runs }: Candidate, match: LogMatcher, slab: Slab): PageLogs | undefined {
    const row = peek(this.#receipts, encodePageKey(number, page))
    if (row === undefined) return undefined
    const { spans, ends } = selectLogs(row, runs, match)
    const length = ends.at(-1)
    if (length === undefined) return undefined
    const text = slab.take(length)
    let at = 0
    for (let span = 0; span < spans.length; span += 2) {
      if (span > 0) text[at++] = comma
      const start = spans[span] as number
      const end = spans[span + 1] as number
      copyInto(row, start, end, text, at)
      at += end - start
    }
    // What follows in the same memory can be written together with it.
    slab.follow(comma)
    return { text, ends }
  }
}

const joinPages = (number: number, pages: readonly PageLogs[]): MatchedLogs => {
  const [first] = pages
  if (first !== undefined && pages.length === 1) return new MatchedLogs(number, first.text, first.ends)
  const text = allocate(pages.reduce((sum, page) => sum + 1 + page.text.length, -1))
  const ends: number[] = []
  let at = 0
  for (const page of pages) {
    if (at > 0) text[at++] = comma
    text.set(page.text, at)
    for (const end of page.ends) ends.push(at + end)
    at += page.text.length
  }
  return new MatchedLogs(number, text, ends)
}

/**
 * Selects the matching logs of the runs: the spans of the row to copy, and the end of each log in the copy.
 * Adjacent logs are one span, because the logs of one receipt are separated by the comma that a response
 * needs too.
 */
const selectLogs = (
  row: Buffer,
  runs: Runs,
  match: LogMatcher,
): { readonly spans: readonly number[]; readonly ends: readonly number[] } => {
  const { body, count, table } = logTable(row)
  const view = new DataView(row.buffer, row.byteOffset, row.length)
  const spans: number[] = []
  const ends: number[] = []
  let length = -1
  let spanEnd = -1
  for (let run = 0; run < runs.length; run += 2) {
    const runEnd = Math.min(runs[run + 1] as number, count)
    for (let log = runs[run] as number; log < runEnd; log++) {
      const start = body + view.getUint32(table + 8 * log, true)
      if (!match(view, start)) continue
      const end = body + view.getUint32(table + 8 * log + 4, true)
      if (spanEnd === start - 1) spans[spans.length - 1] = end
      else spans.push(start, end)
      spanEnd = end
      length += 1 + end - start
      ends.push(length)
    }
  }
  return { spans, ends }
}
