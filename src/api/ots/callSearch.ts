import type { CallQuery } from '../../chain/port/calls.ts'
import type { Chain } from '../../chain/port/chain.ts'
import type { TransactionLocation } from '../../chain/port/location.ts'
import { requestTimedOut } from '../../rpc/errors.ts'
import { matchingTraces } from '../trace/options.ts'
import { readTransactionPositions } from './traces.ts'

export type Direction = 'forward' | 'backward'

export interface CallSearchOptions {
  readonly address: Uint8Array
  readonly direction: Direction
  /** The first and the last block that are searched. */
  readonly range: { readonly first: number; readonly last: number }
  readonly signal: AbortSignal
}

/** How many blocks at the head, which the index has not reached yet, are traced without it. */
const maxUnindexed = 64
/** How many blocks the index is first searched for at once, on the way back; each time four times as many. */
const firstSpan = 1_024

/**
 * Finds the transactions in which an address calls or is called, created or destroyed. The index of calls (`index.calls`)
 * names the blocks, which are traced one by one. Without it, and below where it begins, there are none.
 */
export class CallSearch {
  readonly #chain: Chain
  readonly #options: CallSearchOptions
  readonly #query: CallQuery
  readonly #searched: SearchedBlocks | undefined

  constructor(chain: Chain, options: CallSearchOptions) {
    const { address } = options
    this.#chain = chain
    this.#options = options
    this.#query = { callers: [address], callees: [address], mode: 'union' }
    this.#searched = searchedBlocks(chain)
  }

  /** Whether all blocks of the range are searched. */
  get coversCalls(): boolean {
    const { first, last } = this.#options.range
    const searched = this.#searched
    return searched !== undefined && searched.first <= first && searched.last >= last
  }

  /** Returns where the address appears, in order, with the places where it only takes part in calls among them. */
  async *mergedWith(appearing: Iterable<TransactionLocation>): AsyncGenerator<TransactionLocation> {
    const locations = appearing[Symbol.iterator]()
    const isForward = this.#options.direction === 'forward'
    let next = locations.next().value as TransactionLocation | undefined
    for (const number of this.#blocks()) {
      while (next !== undefined && (isForward ? next.number < number : next.number > number)) {
        yield next
        next = locations.next().value as TransactionLocation | undefined
      }
      const indexes = new Set(await this.#trace(number))
      while (next?.number === number) {
        indexes.add(next.index)
        next = locations.next().value as TransactionLocation | undefined
      }
      const sorted = [...indexes].sort((a, b) => (isForward ? a - b : b - a))
      for (const index of sorted) yield { number, index }
    }
    while (next !== undefined) {
      yield next
      next = locations.next().value as TransactionLocation | undefined
    }
  }

  /** Returns the blocks in which the address may take part in calls, in the order of the search. */
  *#blocks(): Generator<number> {
    const searched = this.#searched
    if (searched === undefined) return
    const { range, direction } = this.#options
    const first = Math.max(range.first, searched.first)
    const last = Math.min(range.last, searched.last)
    const unindexed: number[] = []
    for (let number = Math.max(first, searched.indexed + 1); number <= last; number++)
      if (this.#chain.blocks.transactionCount(number) !== 0) unindexed.push(number)
    const lastIndexed = Math.min(last, searched.indexed)
    if (direction === 'forward') {
      yield* this.#indexed(first, lastIndexed)
      yield* unindexed
      return
    }
    yield* unindexed.reverse()
    let span = firstSpan
    for (let end = lastIndexed; end >= first; end -= span, span *= 4)
      yield* [...this.#indexed(Math.max(first, end - span + 1), end)].reverse()
  }

  #indexed(first: number, last: number): Iterable<number> {
    return first > last ? [] : (this.#chain.calls?.blocks(this.#query, first, last) ?? [])
  }

  async #trace(number: number): Promise<readonly number[]> {
    const { address, signal } = this.#options
    if (signal.aborted) throw requestTimedOut()
    const options = matchingTraces({ fromAddresses: [address], toAddresses: [address], mode: 'union' })
    const block = { kind: 'number', number: BigInt(number) } as const
    return readTransactionPositions(this.#chain.traces.block(block, options, signal))
  }
}

/** The blocks that can be searched: those up to `indexed` by the index, those above it without. */
interface SearchedBlocks {
  readonly first: number
  readonly indexed: number
  readonly last: number
}

/** Returns the blocks that can be searched now; undefined if there are none. */
const searchedBlocks = (chain: Chain): SearchedBlocks | undefined => {
  const coverage = chain.calls?.coverage()
  if (coverage === undefined) return undefined
  const head = chain.head().number
  const isNear = head - coverage.newest <= maxUnindexed
  // The genesis block has no transactions. Bodies may go before their index does.
  const oldest = Math.max(coverage.oldest, chain.retention().oldestBlock)
  const first = oldest <= 1 ? 0 : oldest
  return { first, indexed: coverage.newest, last: isNear ? head : coverage.newest }
}
