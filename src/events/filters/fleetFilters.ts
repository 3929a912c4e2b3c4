import type { MaybePromise } from '../../base/async/maybePromise.ts'
import { toQuantity } from '../../base/encoding/hex.ts'
import type { Logger } from '../../base/logging/log.ts'
import { limitExceeded, refused, unavailable } from '../../chain/chainError.ts'
import { transactionJson } from '../../chain/json/transactionJson.ts'
import type { Events } from '../../chain/port/events.ts'
import type { LogFilter } from '../../chain/port/logFilter.ts'
import type { SharedFilter, SharedFilters } from '../../chain/port/sharedFilters.ts'
import { decodePooledTransaction } from '../../chain/transaction/pooled.ts'
import type { MemoryClient } from '../criteriaMemory.ts'
import type { SearchScope } from './collectLogs.ts'
import { decodeCriteria, encodeCriteria } from './criteriaText.ts'
import { createFilterId } from './filterId.ts'
import type { FilterManager, FilterOptions } from './filterManager.ts'
import { type FilterChanges, FilterSources, type FilterSourcesDependencies } from './filterSources.ts'
import type { Filters } from './filters.ts'
import { type Filter, type FilterKind, type FilterOwner, filterNames, isOfPool, liveRange } from './kinds.ts'

interface FleetFiltersDependencies {
  /** Those of connections, which end with them. */
  readonly own: FilterManager
  /** Those of HTTP clients, which any gateway answers. */
  readonly shared: SharedFilters
  readonly chain: FilterSourcesDependencies['chain']
  readonly events: Pick<Events, 'onHead' | 'onPending'>
  readonly log: Pick<Logger, 'warn'>
}

/** Larger criteria are not kept. */
const maxCriteriaLength = 262_144
/** The most hashes or transactions of one poll. */
const pollHashes = 10_000
/** The most bytes of transactions of one poll. */
const pollBytes = 16 * 1024 * 1024
/** As often as another gateway may be asked for the same filter in the same moment. */
const maxAttempts = 5
/** Where filters stood when they were polled here last, so that a poll need not ask first. */
const maxKnown = 10_000

interface Known {
  readonly row: SharedFilter
  readonly criteria: FilterKind
}

/** The filters of a fleet: those of HTTP clients are polled at any gateway, those of connections at their own. */
export class FleetFilters implements Filters {
  readonly #options: FilterOptions
  readonly #dependencies: FleetFiltersDependencies
  readonly #sources: FilterSources
  readonly #known = new Map<bigint, Known>()
  readonly #polling = new Map<bigint, Promise<unknown>>()
  readonly #endHead: () => void

  constructor(options: FilterOptions, dependencies: FleetFiltersDependencies) {
    this.#options = options
    this.#dependencies = dependencies
    const { events, shared, log } = dependencies
    this.#sources = new FilterSources(options, dependencies, () => undefined)
    this.#endHead = events.onHead((change) => {
      if (change.kind !== 'reverted') return
      this.#known.clear()
      shared
        .moveBack(change.to)
        .catch((error: unknown) =>
          log.warn({ err: error }, 'filters could not be moved back behind a revert'),
        )
    })
  }

  addLogs(filter: LogFilter, owner: FilterOwner, client: MemoryClient = owner): MaybePromise<bigint> {
    if (typeof owner !== 'string') return this.#dependencies.own.addLogs(filter, owner, client)
    return this.#add({ kind: 'logs', filter }, owner)
  }

  addBlocks(owner: FilterOwner, client: MemoryClient = owner): MaybePromise<bigint> {
    if (typeof owner !== 'string') return this.#dependencies.own.addBlocks(owner, client)
    return this.#add({ kind: 'blocks' }, owner)
  }

  addPending(owner: FilterOwner, client: MemoryClient = owner): MaybePromise<bigint> {
    if (typeof owner !== 'string') return this.#dependencies.own.addPending(owner, client)
    return this.#add({ kind: 'pending' }, owner)
  }

  addTransactions(owner: FilterOwner, client: MemoryClient = owner): MaybePromise<bigint> {
    if (typeof owner !== 'string') return this.#dependencies.own.addTransactions(owner, client)
    return this.#add({ kind: 'transactions' }, owner)
  }

  searchesLogs(id: bigint): boolean {
    const { own } = this.#dependencies
    return own.has(id) ? own.searchesLogs(id) : this.#known.get(id)?.criteria.kind !== 'blocks'
  }

  remove(id: bigint): MaybePromise<boolean> {
    const { own, shared } = this.#dependencies
    if (own.has(id)) return own.remove(id)
    this.#known.delete(id)
    return shared.remove(id)
  }

  logFilter(id: bigint): MaybePromise<LogFilter> {
    const { own } = this.#dependencies
    if (own.has(id)) return own.logFilter(id)
    return this.#step(id, ({ criteria, row }) => {
      if (criteria.kind !== 'logs')
        throw refused(`filter ${toQuantity(id)} is a ${filterNames[criteria.kind]} filter, not a log filter`)
      return { found: criteria.filter, since: row.since, next: row.next }
    })
  }

  changes(id: bigint, scope: SearchScope): MaybePromise<FilterChanges> {
    const { own } = this.#dependencies
    if (own.has(id)) return own.changes(id, scope)
    return this.#step(id, (known) => this.#read(known, scope), scope.signal)
  }

  close(): void {
    this.#endHead()
    this.#sources.close()
    this.#dependencies.own.close()
  }

  async #add(criteria: FilterKind, owner: string): Promise<bigint> {
    const { chain, shared } = this.#dependencies
    const { filterCap } = this.#options
    const text = encodeCriteria(criteria)
    if (text.length > maxCriteriaLength) throw limitExceeded('the filter is too large to be kept')
    const id = createFilterId()
    const head = chain.head().number
    const first = isOfPool(criteria) ? await shared.newestPending() : liveRange(criteria, head).first
    const next = isOfPool(criteria) ? first : Math.max(first, head + 1)
    if (!(await shared.add({ id, owner, criteria: text, since: next, next }, filterCap)))
      throw limitExceeded(`too many filters: at most ${filterCap} a client (json-rpc.filter-cap)`)
    return id
  }

  /** Moves a filter by one poll, after those of this gateway before it. Where another gateway polled it too, again from there. */
  async #step<T>(
    id: bigint,
    read: (known: Known) => MaybePromise<{ found: T; since: number; next: number }>,
    signal?: AbortSignal,
  ): Promise<T> {
    const before = this.#polling.get(id)
    const step = (async () => {
      await before?.catch(() => undefined)
      return this.#stepNow(id, read, signal)
    })()
    this.#polling.set(id, step)
    try {
      return await step
    } finally {
      if (this.#polling.get(id) === step) this.#polling.delete(id)
    }
  }

  /** What a client that has left would not hear of is not passed over: it may have polled again, at another gateway. */
  async #stepNow<T>(
    id: bigint,
    read: (known: Known) => MaybePromise<{ found: T; since: number; next: number }>,
    signal?: AbortSignal,
  ): Promise<T> {
    const { shared } = this.#dependencies
    for (let attempt = 0; attempt < maxAttempts; attempt++) {
      const known = this.#known.get(id) ?? (await this.#find(id))
      const { found, since, next } = await read(known)
      this.#known.delete(id)
      signal?.throwIfAborted()
      if (!(await shared.move(known.row, { since, next }))) continue
      this.#remember(id, { ...known, row: { ...known.row, since, next, version: known.row.version + 1 } })
      return found
    }
    throw unavailable('the filter is polled in many places at once: poll it again')
  }

  async #find(id: bigint): Promise<Known> {
    const row = await this.#dependencies.shared.use(id)
    if (row === undefined) throw refused('filter not found')
    return { row, criteria: decodeCriteria(row.criteria) }
  }

  #remember(id: bigint, known: Known): void {
    this.#known.set(id, known)
    const [oldest] = this.#known.keys()
    if (this.#known.size > maxKnown && oldest !== undefined) this.#known.delete(oldest)
  }

  async #read(
    { row, criteria }: Known,
    scope: SearchScope,
  ): Promise<{ found: FilterChanges; since: number; next: number }> {
    if (isOfPool(criteria)) return this.#readPending(row, criteria, scope)
    const { first, last } = liveRange(criteria, row.next)
    const filter: Filter = {
      ...{ criteria, first, last, since: row.since, next: row.next },
      ...{ owner: row.owner, client: row.owner, usedAt: 0, removed: undefined, polling: undefined },
    }
    const found = await this.#sources.poll(filter, scope)
    // A gateway that is behind the one that was polled before has nothing new, and moves nothing back.
    return { found, since: filter.since, next: Math.max(row.next, filter.next) }
  }

  async #readPending(
    { since, next }: SharedFilter,
    { kind }: FilterKind,
    scope: SearchScope,
  ): Promise<{ found: FilterChanges; since: number; next: number }> {
    const { shared } = this.#dependencies
    if (kind === 'pending') {
      const rows = await shared.pendingHashesAfter(next, pollHashes)
      const hashes = rows.map(({ hash }) => hash)
      return { found: { kind: 'hashes', hashes }, since, next: rows.at(-1)?.number ?? next }
    }
    const { logsBytesCap } = this.#options
    // As text each takes more than twice its bytes.
    const rows = await shared.pendingAfter(next, pollHashes, Math.ceil(Math.min(logsBytesCap / 2, pollBytes)))
    const parts: Uint8Array[] = []
    let to = next
    let bytes = 0
    for (const { number, hash, sender, raw } of rows) {
      const { transaction } = decodePooledTransaction(raw)
      const json = Buffer.from(transactionJson({ transaction, hash, sender, inclusion: undefined }), 'latin1')
      if (parts.length > 0 && bytes + json.length > logsBytesCap) break
      bytes += json.length
      parts.push(json)
      to = number
    }
    scope.hold(bytes)
    return { found: { kind: 'transactions', parts }, since, next: to }
  }
}
