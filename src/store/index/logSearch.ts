import type { Table } from '../../base/lmdb.ts'
import type { BlockLogs, LogPattern } from '../../chain/port/logs.ts'
import { pageKey } from '../keys.ts'
import { copyPart, peek, room, Slab } from '../peek.ts'
import { logTable } from '../slices.ts'
import { addressKey, anythingKey, topicKey } from './block.ts'
import { type LogMatch, matchLogs } from './logMatch.ts'
import { intersectRuns, lastUnitOf, placeOfUnit, type Runs, uniteRuns, unitOf } from './postings.ts'
import type { PostingCursor, PostingTable } from './postingTable.ts'

/** Steps through lists after which a search says how far it is. */
const stepsToProgress = 512

/** Lists of which one has to hold the place: the alternatives of one criterion. */
class Criterion {
  #unit = Number.POSITIVE_INFINITY
  readonly #cursors: readonly PostingCursor[]

  constructor(cursors: readonly PostingCursor[]) {
    this.#cursors = cursors
  }

  get isBroad(): boolean {
    return this.#cursors.length > 1 || this.#cursors.some(({ isLong }) => isLong)
  }

  seek(target: number): number {
    let least = Number.POSITIVE_INFINITY
    for (const cursor of this.#cursors) least = Math.min(least, cursor.seek(target))
    this.#unit = least
    return least
  }

  /** How many lists one step goes through. */
  get breadth(): number {
    return this.#cursors.length
  }

  runs(): Runs {
    let runs: Runs | undefined
    for (const cursor of this.#cursors)
      if (cursor.unit === this.#unit) runs = runs ? uniteRuns(runs, cursor.runs()) : cursor.runs()
    return runs ?? []
  }
}

class FoundLogs implements BlockLogs {
  readonly number: number
  readonly text: Uint8Array
  /** Where each log ends in the text. */
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

/** The logs of one page that match, and where each ends in the text. */
interface PageLogs {
  readonly text: Uint8Array
  readonly ends: readonly number[]
}

/** A page of a block whose logs the lists agree on. */
interface Candidate {
  readonly number: number
  readonly page: number
  /** None: only a sign of how far the search is. */
  readonly runs: Runs
}

/** The search for logs: over the index to the pages that can match, then over their logs. */
export class LogSearch {
  readonly #lists: PostingTable
  readonly #receipts: Table

  constructor(lists: PostingTable, receipts: Table) {
    this.#lists = lists
    this.#receipts = receipts
  }

  *run(pattern: LogPattern, from: number, to: number): Generator<FoundLogs> {
    const match = matchLogs(pattern)
    let pages: PageLogs[] = []
    let block = -1
    const slab = new Slab()
    for (const candidate of this.#candidates(pattern, from, to)) {
      const { number, runs } = candidate
      const isSign = runs.length === 0
      // A sign of how far the search is may come in the middle of a block.
      if (pages.length > 0 && (isSign ? number >= block : number !== block)) {
        yield joinPages(block, pages)
        pages = []
      }
      if (isSign) yield new FoundLogs(number, nothing, [])
      else {
        block = number
        const found = this.#read(candidate, match, slab)
        if (found !== undefined) pages.push(found)
      }
    }
    if (pages.length > 0) yield joinPages(block, pages)
  }

  /** Goes from list to list, each time to where the last one stands: the shortest of them sets the pace. */
  *#candidates(pattern: LogPattern, from: number, to: number): Generator<Candidate> {
    const criteria = this.#criteria(pattern)
    const end = lastUnitOf(to)
    const breadth = criteria.reduce((sum, criterion) => sum + criterion.breadth, 0)
    let target = unitOf(from, 0)
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
          yield { ...placeOfUnit(target), runs }
          steps = 0
        }
        target++
      } else target = met
      if (steps >= stepsToProgress && target <= end) {
        // Everything below the block of the target is done.
        yield { number: placeOfUnit(target).number - 1, page: 0, runs: [] }
        steps = 0
      }
    }
  }

  #criteria({ addresses, topics }: LogPattern): Criterion[] {
    const groups = [
      addresses.map(addressKey),
      ...topics.map((choices, position) => choices.map((topic) => topicKey(position, topic))),
    ].filter(({ length }) => length > 0)
    if (groups.length === 0) groups.push([anythingKey])
    const criteria = groups.map((keys) => new Criterion(keys.map((key) => this.#lists.cursor(key))))
    return criteria.sort((a, b) => Number(a.isBroad) - Number(b.isBroad))
  }

  /** The logs of a page that do match; undefined where none does, or where the page is gone meanwhile. */
  #read({ number, page, runs }: Candidate, match: LogMatch, slab: Slab): PageLogs | undefined {
    const row = peek(this.#receipts, pageKey(number, page))
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
      copyPart(row, start, end, text, at)
      at += end - start
    }
    return { text, ends }
  }
}

const joinPages = (number: number, pages: readonly PageLogs[]): FoundLogs => {
  const [first] = pages
  if (first !== undefined && pages.length === 1) return new FoundLogs(number, first.text, first.ends)
  const text = room(pages.reduce((sum, page) => sum + 1 + page.text.length, -1))
  const ends: number[] = []
  let at = 0
  for (const page of pages) {
    if (at > 0) text[at++] = comma
    text.set(page.text, at)
    for (const end of page.ends) ends.push(at + end)
    at += page.text.length
  }
  return new FoundLogs(number, text, ends)
}

/**
 * The logs of the runs that match: spans of the row to copy, where logs that stand side by side (the logs of one
 * receipt are separated by the comma that an answer needs as well) are one, and where each log ends in the copy.
 */
const selectLogs = (
  row: Buffer,
  runs: Runs,
  match: LogMatch,
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
