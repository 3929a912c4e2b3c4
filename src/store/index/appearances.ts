import type { AppearanceQuery } from '../../chain/port/logs.ts'
import { pageIndex, pageSize } from '../packing/pages.ts'
import type { ChainMeta } from '../tables/chainMeta.ts'
import type { TransactionLocation } from '../tables/rowKeys.ts'
import { appearanceKey } from './blockPostings.ts'
import { lastPageOrdinal, type Posting, toPageOrdinal } from './postings.ts'
import type { PostingTable } from './postingTable.ts'

/** The index from addresses to the transactions in which they have a part. */
export class AppearanceIndex {
  readonly #lists: PostingTable
  readonly #meta: ChainMeta
  readonly #first: () => number | undefined

  constructor(lists: PostingTable, meta: ChainMeta, first: () => number | undefined) {
    this.#lists = lists
    this.#meta = meta
    this.#first = first
  }

  /** Returns the first block that the index covers; undefined if the index is not kept. */
  from(): number | undefined {
    const from = this.#first()
    return from === undefined ? undefined : Math.max(from, this.#meta.oldestBody())
  }

  find(query: AppearanceQuery): TransactionLocation[] {
    const { from, direction, limit } = query
    const first = this.from()
    const head = this.#meta.head()
    const found: TransactionLocation[] = []
    if (first === undefined || head === undefined || limit <= 0) return found
    const isForward = direction === 'forward'
    const start = from ?? (isForward ? { number: 0, index: 0 } : { number: head.number, index: lastIndex })
    const begin = isForward && start.number < first ? { number: first, index: 0 } : start
    for (const posting of this.#postings(query, begin)) {
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

  *#postings(
    { address, direction }: AppearanceQuery,
    { number, index }: TransactionLocation,
  ): Generator<Posting> {
    const key = appearanceKey(address)
    if (direction === 'backward') {
      const ordinal = index === lastIndex ? lastPageOrdinal(number) : toPageOrdinal(number, pageIndex(index))
      return yield* this.#lists.backwards(key, ordinal)
    }
    const cursor = this.#lists.cursor(key)
    for (
      let ordinal = cursor.seek(toPageOrdinal(number, pageIndex(index)));
      Number.isFinite(ordinal);
      ordinal = cursor.seek(ordinal + 1)
    )
      yield { ...cursor.position(), runs: cursor.runs() }
  }
}

const lastIndex = Number.MAX_SAFE_INTEGER

/** Returns the transactions of the block, in forward or backward order. */
const indexesOf = ({ page, runs }: Posting, isForward: boolean): number[] => {
  const indexes: number[] = []
  for (let run = 0; run < runs.length; run += 2)
    for (let entry = runs[run] as number; entry < (runs[run + 1] as number); entry++)
      indexes.push(page * pageSize + entry)
  return isForward ? indexes : indexes.reverse()
}
