import type { MaybePromise } from '../../base/async/maybePromise.ts'
import { limitExceeded } from '../../chain/chainError.ts'
import { transactionJson } from '../../chain/json/transactionJson.ts'
import type { BlockReader } from '../../chain/port/blocks.ts'
import type { Chain } from '../../chain/port/chain.ts'
import type { Events, HeadChange } from '../../chain/port/events.ts'
import type { LogFilter } from '../../chain/port/logFilter.ts'
import type { LogReader } from '../../chain/port/logs.ts'
import { collectLogs, type LogLimits, type SearchScope } from './collectLogs.ts'
import { HashRing } from './hashRing.ts'
import { type Filter, type FilterKind, isOfPool } from './kinds.ts'
import { matchingLogs } from './removedLogs.ts'
import { TransactionRing } from './transactionRing.ts'

/** What a filter found since its last poll. */
export type FilterChanges =
  | { readonly kind: 'hashes'; readonly hashes: readonly Uint8Array[] }
  /** The JSON of logs or transactions, to be joined by commas. */
  | { readonly kind: 'logs' | 'transactions'; readonly parts: readonly Uint8Array[] }

export interface FilterSourcesDependencies {
  readonly chain: Pick<Chain, 'head'> & {
    readonly blocks: Pick<BlockReader, 'hash'>
    readonly logs: Pick<LogReader, 'search'>
  }
  readonly events: Pick<Events, 'onHead' | 'onPending'>
}

/** The number of transaction hashes that are kept for all filters together (8 MB). */
const maxKeptHashes = 262_144
/** The memory of whole transactions that are kept for all filters together. */
const maxKeptBytes = 32_000_000
/** The maximum number of hashes or transactions in one poll. */
const pollHashes = 10_000

/** What filters are polled from: the blocks and logs of the chain, and what became pending while there was a filter of that. */
export class FilterSources {
  readonly #limits: LogLimits
  readonly #dependencies: FilterSourcesDependencies
  readonly #onHead: (change: HeadChange) => void
  readonly #ring = new HashRing(maxKeptHashes)
  readonly #transactions = new TransactionRing(maxKeptBytes)
  /** The number of block and log filters. */
  #blockFilters = 0
  #endHead: (() => void) | undefined
  #pendingFilters = 0
  #endPending: (() => void) | undefined
  #transactionFilters = 0
  #endTransactions: (() => void) | undefined

  constructor(
    limits: LogLimits,
    dependencies: FilterSourcesDependencies,
    onHead: (change: HeadChange) => void,
  ) {
    this.#limits = limits
    this.#dependencies = dependencies
    this.#onHead = onHead
  }

  close(): void {
    this.#endHead?.()
    this.#endPending?.()
    this.#endTransactions?.()
  }

  /**
   * Listens only while there are filters, because a listener makes the chain read blocks before it reverts them, and every
   * whole transaction is encoded.
   */
  listen({ kind }: FilterKind): void {
    const { events } = this.#dependencies
    if (kind === 'pending') {
      if (this.#pendingFilters++ > 0) return
      this.#endPending = events.onPending(({ hash }) => this.#ring.push(hash))
    } else if (kind === 'transactions') {
      if (this.#transactionFilters++ > 0) return
      this.#endTransactions = events.onPending(({ transaction, hash, sender }) =>
        this.#transactions.push(
          Buffer.from(transactionJson({ transaction, hash, sender, inclusion: undefined }), 'latin1'),
        ),
      )
    } else if (this.#blockFilters++ === 0) this.#endHead = events.onHead((change) => this.#onHead(change))
  }

  /** Ends what no filter needs any more. */
  unlisten({ kind }: FilterKind): void {
    if (kind === 'pending') {
      if (--this.#pendingFilters > 0) return
      this.#endPending?.()
      this.#ring.clear()
    } else if (kind === 'transactions') {
      if (--this.#transactionFilters > 0) return
      this.#endTransactions?.()
      this.#transactions.clear()
    } else if (--this.#blockFilters === 0) this.#endHead?.()
  }

  /** Returns the number of the first hash or transaction that a new filter reports; undefined for one of blocks. */
  nextOfPool(criteria: FilterKind): number | undefined {
    if (!isOfPool(criteria)) return undefined
    return criteria.kind === 'pending' ? this.#ring.next : this.#transactions.next
  }

  /** Returns what is new for a filter, and moves it behind that. */
  poll(filter: Filter, scope: SearchScope): MaybePromise<FilterChanges> {
    switch (filter.criteria.kind) {
      case 'logs':
        return this.#pollLogs(filter, filter.criteria.filter, scope)
      case 'blocks':
        return { kind: 'hashes', hashes: this.#pollBlocks(filter) }
      case 'pending':
        return { kind: 'hashes', hashes: this.#pollPending(filter) }
      case 'transactions':
        return { kind: 'transactions', parts: this.#pollTransactions(filter, scope) }
    }
  }

  #pollLogs(filter: Filter, pattern: LogFilter, scope: SearchScope): MaybePromise<FilterChanges> {
    const { chain } = this.#dependencies
    const from = filter.next
    const to = Math.min(chain.head().number, filter.last)
    const { removed } = filter
    const collected = collectLogs(chain.logs.search(pattern, from, to), this.#limits, scope)
    const finish = ({ parts, stop }: Awaited<typeof collected>): FilterChanges => {
      // If blocks were reverted meanwhile, `next` was changed and the search has failed.
      filter.next = Math.max(from, stop?.number ?? to + 1)
      filter.removed = undefined
      return { kind: 'logs', parts: [...matchingLogs(pattern, removed ?? []), ...parts] }
    }
    return collected instanceof Promise ? collected.then(finish) : finish(collected)
  }

  #pollBlocks(filter: Filter): Uint8Array[] {
    const { chain } = this.#dependencies
    const end = Math.min(chain.head().number, filter.next + pollHashes - 1)
    const hashes: Uint8Array[] = []
    for (; filter.next <= end; filter.next++) {
      const hash = chain.blocks.hash(filter.next)
      // The block was reverted, and the event is about to arrive.
      if (hash === undefined) break
      hashes.push(hash)
    }
    return hashes
  }

  #pollPending(filter: Filter): readonly Uint8Array[] {
    const { hashes, next, missed } = this.#ring.read(filter.next, pollHashes)
    advance(filter, next, missed)
    return hashes
  }

  #pollTransactions(filter: Filter, scope: SearchScope): readonly Uint8Array[] {
    const { texts, next, missed } = this.#transactions.read(
      filter.next,
      pollHashes,
      this.#limits.logsBytesCap,
    )
    scope.hold(texts.reduce((sum, { length }) => sum + length, 0))
    advance(filter, next, missed)
    return texts
  }
}

/** Moves a filter behind what was read; throws if something before it is not kept any more. */
const advance = (filter: Filter, next: number, missed: number): void => {
  if (missed > 0) {
    filter.next += missed
    const why = `${missed} transactions since the last poll are not kept any more: poll more often`
    throw limitExceeded(why)
  }
  filter.next = next
}
