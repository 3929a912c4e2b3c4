import type { Table } from '../../base/lmdb.ts'
import type { BlockLogs, LogPattern } from '../../chain/port/logs.ts'
import { encodePageKey } from '../keys.ts'
import { logTable } from '../pages.ts'
import { allocate, copyInto, peek, Slab } from '../peek.ts'
import { addressKey, allLogsKey, topicKey } from './block.ts'
import { createRowLogMatcher, type LogMatcher } from './logMatcher.ts'
import {
  fromPageOrdinal,
  intersectRuns,
  lastPageOrdinal,
  type Runs,
  toPageOrdinal,
  uniteRuns,
} from './postings.ts'
import type { PostingCursor, PostingTable } from './postingTable.ts'

/** The steps through lists after which a search reports its progress. */
const stepsToProgress = 512

/** The lists for one criterion, at least one of which must contain a page: its alternatives. */
class Criterion {
  #ordinal = Number.POSITIVE_INFINITY
  readonly #cursors: readonly PostingCursor[]

  constructor(cursors: readonly PostingCursor[]) {
    this.#cursors = cursors
  }

  get hasLongList(): boolean {
    return this.#cursors.length > 1 || this.#cursors.some(({ isLong }) => isLong)
  }

  seek(target: number): number {
    let least = Number.POSITIVE_INFINITY
    for (const cursor of this.#cursors) least = Math.min(least, cursor.seek(target))
    this.#ordinal = least
    return least
  }

  /** The number of lists that one step reads. */
  get breadth(): number {
    return this.#cursors.length
  }

  runs(): Runs {
    let runs: Runs | undefined
    for (const cursor of this.#cursors)
      if (cursor.ordinal === this.#ordinal) runs = runs ? uniteRuns(runs, cursor.runs()) : cursor.runs()
    return runs ?? []
  }
}

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
const comma = 0x2c

/** The matching logs of one page, and the end of each in the text. */
interface PageLogs {
  readonly text: Uint8Array
  readonly ends: readonly number[]
}

/** A page of a block that all criteria have in common. */
interface Candidate {
  readonly number: number
  readonly page: number
  /** The entries; empty if it only reports the progress of the search. */
  readonly runs: Runs
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
    for (const candidate of this.#candidates(pattern, from, to)) {
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

  /**
   * Returns the pages that can match: moves each list to the page of the previous one, so that the shortest
   * list determines the number of steps.
   */
  *#candidates(pattern: LogPattern, from: number, to: number): Generator<Candidate> {
    const criteria = this.#criteria(pattern)
    const end = lastPageOrdinal(to)
    const breadth = criteria.reduce((sum, criterion) => sum + criterion.breadth, 0)
    let target = toPageOrdinal(from, 0)
    let steps = 0
    while (target <= end) {
      let met = target
      for (const criterion of criteria) {
        met = criterion.seek(target)
        if (met !== target) break
      }
      steps += breadth
      if (met === target) {
        const runs = criteria.map((criterion) => criterion.runs()).reduce(intersectRuns)
        if (runs.length > 0) {
          yield { ...fromPageOrdinal(target), runs }
          steps = 0
        }
        target++
      } else target = met
      if (steps >= stepsToProgress && target <= end) {
        // Everything below the block of the target is searched.
        yield { number: fromPageOrdinal(target).number - 1, page: 0, runs: [] }
        steps = 0
      }
    }
  }

  #criteria({ addresses, topics }: LogPattern): Criterion[] {
    const groups = [
      addresses.map(addressKey),
      ...topics.map((choices, position) => choices.map((topic) => topicKey(position, topic))),
    ].filter(({ length }) => length > 0)
    if (groups.length === 0) groups.push([allLogsKey])
    const criteria = groups.map((keys) => new Criterion(keys.map((key) => this.#lists.cursor(key))))
    return criteria.sort((a, b) => Number(a.hasLongList) - Number(b.hasLongList))
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
