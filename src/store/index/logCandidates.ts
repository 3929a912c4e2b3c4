import type { LogPattern } from '../../chain/port/logs.ts'
import { addressKey, allLogsKey, topicKey } from './blockPostings.ts'
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

/** A page of a block that all criteria have in common. */
export interface Candidate {
  readonly number: number
  readonly page: number
  /** The entries; empty if it only reports the progress of the search. */
  readonly runs: Runs
}

const toCriteria = (lists: PostingTable, { addresses, topics }: LogPattern): Criterion[] => {
  const groups = [
    addresses.map(addressKey),
    ...topics.map((choices, position) => choices.map((topic) => topicKey(position, topic))),
  ].filter(({ length }) => length > 0)
  if (groups.length === 0) groups.push([allLogsKey])
  const criteria = groups.map((keys) => new Criterion(keys.map((key) => lists.cursor(key))))
  return criteria.sort((a, b) => Number(a.hasLongList) - Number(b.hasLongList))
}

/**
 * Returns the pages that can match: moves each list to the page of the previous one, so that the shortest
 * list determines the number of steps.
 */
export const findCandidates = function* (
  lists: PostingTable,
  pattern: LogPattern,
  from: number,
  to: number,
): Generator<Candidate> {
  const criteria = toCriteria(lists, pattern)
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
