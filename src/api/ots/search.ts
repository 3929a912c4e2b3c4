import type { Chain } from '../../chain/port/chain.ts'
import type { TransactionLocation } from '../../chain/port/location.ts'
import { assertNotPruned } from '../answers/lookup.ts'
import { CallSearch, type Direction } from './callSearch.ts'
import { type JsonMembers, parseRow } from './json.ts'

/** How many locations are read at once. */
const batchSize = 64

/** Returns where an address appears, from a location on. */
const locationsFrom = function* (
  { logs }: Chain,
  address: Uint8Array,
  direction: Direction,
  start: TransactionLocation | undefined,
): Generator<TransactionLocation> {
  let from = start
  for (;;) {
    const found = logs.appearances({ address, from, direction, limit: batchSize })
    yield* found
    const last = found.at(-1)
    if (last === undefined || found.length < batchSize) return
    const next = locationAfter(last, direction)
    if (next === undefined) return
    from = next
  }
}

/** An index that no block reaches. */
const lastIndex = Number.MAX_SAFE_INTEGER

const locationAfter = (
  { number, index }: TransactionLocation,
  direction: Direction,
): TransactionLocation | undefined => {
  if (direction === 'forward') return { number, index: index + 1 }
  if (index > 0) return { number, index: index - 1 }
  return number === 0 ? undefined : { number: number - 1, index: lastIndex }
}

interface Page {
  readonly locations: readonly TransactionLocation[]
  /** Whether there is more beyond the page. */
  readonly hasMore: boolean
}

/** Fills a page. The transactions of its last block are all on it, so that the next page can begin with another block. */
const fillPage = async (locations: AsyncIterable<TransactionLocation>, size: number): Promise<Page> => {
  const page: TransactionLocation[] = []
  for await (const location of locations) {
    if (page.length >= size && page.at(-1)?.number !== location.number)
      return { locations: page, hasMore: true }
    page.push(location)
  }
  return { locations: page, hasMore: false }
}

const readPage = ({ blocks }: Chain, locations: readonly TransactionLocation[]) => {
  const txs: JsonMembers[] = []
  const receipts: JsonMembers[] = []
  for (const location of locations) {
    const [transaction, receipt] = [blocks.transactionJson(location), blocks.receiptJson(location)]
    const header = blocks.header(location.number)
    if (transaction === undefined || receipt === undefined || header === undefined) continue
    txs.push(parseRow(transaction))
    receipts.push({ ...parseRow(receipt), timestamp: Number(header.timestamp) })
  }
  return { txs, receipts }
}

interface Search {
  readonly chain: Chain
  readonly address: Uint8Array
  readonly block: number
  readonly size: number
  readonly signal: AbortSignal
}

/** Searches for what an address takes part in, by itself and through calls. */
const searchFrom = async (search: Search, direction: Direction, start: TransactionLocation | undefined) => {
  const { chain, address, size, signal } = search
  const range = { first: 1, last: chain.head().number }
  if (start !== undefined) range[direction === 'forward' ? 'first' : 'last'] = start.number
  const appearing = locationsFrom(chain, address, direction, start)
  const calls = new CallSearch(chain, { address, direction, range, signal })
  const page = await fillPage(calls.mergedWith(appearing), size)
  const { coversCalls } = calls
  return { ...page, coversCalls }
}

/** Returns the transactions that an address takes part in before a block, the newest first; 0 is after the head. */
export const searchBefore = async (search: Search) => {
  const { chain, block } = search
  if (block > 0) assertNotPruned(chain, block - 1)
  const start = block === 0 ? undefined : { number: block - 1, index: lastIndex }
  const { locations, hasMore, coversCalls } = await searchFrom(search, 'backward', start)
  return { ...readPage(chain, locations), firstPage: block === 0, lastPage: !hasMore, coversCalls }
}

/** Returns the transactions that an address takes part in after a block, the newest first; 0 is before the first. */
export const searchAfter = async (search: Search) => {
  const { chain, block } = search
  if (block > 0) assertNotPruned(chain, block + 1)
  const start = block === 0 ? undefined : { number: block + 1, index: 0 }
  const { locations, hasMore, coversCalls } = await searchFrom(search, 'forward', start)
  return {
    ...readPage(chain, [...locations].reverse()),
    firstPage: !hasMore,
    lastPage: block === 0,
    coversCalls,
  }
}
