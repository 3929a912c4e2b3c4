import type { AppearanceQuestion } from '../../chain/port/logs.ts'
import type { Place } from '../keys.ts'
import type { ChainMeta } from '../meta.ts'
import { pageOf, pageSize } from '../slices.ts'
import { appearanceKey } from './block.ts'
import { lastUnitOf, type Posting, unitOf } from './postings.ts'
import type { PostingTable } from './postingTable.ts'

/** From addresses to the transactions that they have a part in. */
export class AppearanceIndex {
  readonly #lists: PostingTable
  readonly #meta: ChainMeta

  constructor(lists: PostingTable, meta: ChainMeta) {
    this.#lists = lists
    this.#meta = meta
  }

  /** The first block that the index knows; undefined where it is not kept. */
  from(): number | undefined {
    const from = this.#meta.appearancesFrom()
    return from === undefined ? undefined : Math.max(from, this.#meta.oldest())
  }

  find(question: AppearanceQuestion): Place[] {
    const { from, direction, limit } = question
    const first = this.from()
    const head = this.#meta.head()
    const found: Place[] = []
    if (first === undefined || head === undefined || limit <= 0) return found
    const isForward = direction === 'forward'
    const start = from ?? (isForward ? { number: 0, index: 0 } : { number: head.number, index: lastIndex })
    const begin = isForward && start.number < first ? { number: first, index: 0 } : start
    for (const posting of this.#postings(question, begin)) {
      if (posting.number < first) break
      for (const index of indexesOf(posting, isForward)) {
        const isBefore = posting.number === begin.number && index < begin.index
        const isAfter = posting.number === begin.number && index > begin.index
        if (isForward ? isBefore : isAfter) continue
        found.push({ number: posting.number, index })
        if (found.length === limit) return found
      }
    }
    return found
  }

  *#postings({ address, direction }: AppearanceQuestion, { number, index }: Place): Generator<Posting> {
    const key = appearanceKey(address)
    if (direction === 'backward') {
      const unit = index === lastIndex ? lastUnitOf(number) : unitOf(number, pageOf(index))
      return yield* this.#lists.backwards(key, unit)
    }
    const cursor = this.#lists.cursor(key)
    for (
      let unit = cursor.seek(unitOf(number, pageOf(index)));
      Number.isFinite(unit);
      unit = cursor.seek(unit + 1)
    )
      yield { ...cursor.place(), runs: cursor.runs() }
  }
}

const lastIndex = Number.MAX_SAFE_INTEGER

/** Transactions of the block, in order or against it. */
const indexesOf = ({ page, runs }: Posting, isForward: boolean): number[] => {
  const indexes: number[] = []
  for (let run = 0; run < runs.length; run += 2)
    for (let entry = runs[run] as number; entry < (runs[run + 1] as number); entry++)
      indexes.push(page * pageSize + entry)
  return isForward ? indexes : indexes.reverse()
}
