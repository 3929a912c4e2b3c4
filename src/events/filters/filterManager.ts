import type { MaybePromise } from '../../base/async/maybePromise.ts'
import { toQuantity } from '../../base/encoding/hex.ts'
import { limitExceeded, refused } from '../../chain/chainError.ts'
import type { HeadChange } from '../../chain/port/events.ts'
import type { LogFilter } from '../../chain/port/logFilter.ts'
import { type CriteriaMemory, criteriaBytes, type MemoryClient, patternItems } from '../criteriaMemory.ts'
import type { LogLimits, SearchScope } from './collectLogs.ts'
import { createFilterId } from './filterId.ts'
import type { FilterJournal, StoredFilter } from './filterJournal.ts'
import { type FilterChanges, FilterSources, type FilterSourcesDependencies } from './filterSources.ts'
import type { Filters } from './filters.ts'
import { type Filter, type FilterKind, type FilterOwner, filterNames, isOfPool, liveRange } from './kinds.ts'
import { revertFilters } from './revertFilters.ts'

/**
 * The settings of `[json-rpc]` for filters. The limits are those of one poll; what exceeds them is returned by the
 * next poll.
 */
export interface FilterOptions extends LogLimits {
  /** How long a filter exists without being polled, in milliseconds. */
  readonly filterTimeout: number
  /** The maximum number of filters of one owner. */
  readonly filterCap: number
}

export interface FilterDependencies extends FilterSourcesDependencies {
  /** Keeps the filters of HTTP clients across restarts; undefined if they end with the process. */
  readonly journal?: FilterJournal | undefined
  /** The memory of the criteria, shared with subscriptions. */
  readonly memory: CriteriaMemory
  /** Returns the time of a monotonic clock in milliseconds. */
  readonly now: () => number
}

const blocks: FilterKind = { kind: 'blocks' }
const pending: FilterKind = { kind: 'pending' }
const transactions: FilterKind = { kind: 'transactions' }
const sweepIntervalMs = 1_000
/** A filter that was not polled for this long makes room for another one where there is no memory left. */
const idleMs = 60_000
/** The number of filters that one sweep removes, so that it is short. */
const sweepFilters = 5_000
/** The number of idle filters that a new one looks at for room, so that a rejection is cheap. */
const maxLooks = 5_000

/**
 * The filters that clients poll. A filter stores only the next block, or the number of the next pending hash, that its
 * client has not seen. The changes are read when it is polled, so that a filter costs a few bytes whatever happens.
 */
export class FilterManager implements Filters {
  readonly #options: FilterOptions
  readonly #dependencies: FilterDependencies
  /** The filters in the order of their last use. */
  readonly #filters = new Map<bigint, Filter>()
  readonly #counts = new Map<FilterOwner, number>()
  readonly #sources: FilterSources
  #timer: NodeJS.Timeout | undefined

  constructor(options: FilterOptions, dependencies: FilterDependencies) {
    this.#options = options
    this.#dependencies = dependencies
    this.#sources = new FilterSources(options, dependencies, (change) => this.#onHead(change))
    for (const stored of dependencies.journal?.filters() ?? []) this.#restore(stored)
  }

  get size(): number {
    return this.#filters.size
  }

  /** Adds a filter. It counts among those of `owner` and takes the memory of `client`, which may have many connections. */
  addLogs(filter: LogFilter, owner: FilterOwner, client: MemoryClient = owner): bigint {
    return this.#add({ kind: 'logs', filter }, owner, client)
  }

  addBlocks(owner: FilterOwner, client: MemoryClient = owner): bigint {
    return this.#add(blocks, owner, client)
  }

  addPending(owner: FilterOwner, client: MemoryClient = owner): bigint {
    return this.#add(pending, owner, client)
  }

  /** Adds a filter that reports whole transactions, as they were when they became pending. */
  addTransactions(owner: FilterOwner, client: MemoryClient = owner): bigint {
    return this.#add(transactions, owner, client)
  }

  /** Returns whether there is a filter. */
  has(id: bigint): boolean {
    return this.#filters.has(id)
  }

  /** Returns whether a poll of the filter is a search for logs. */
  searchesLogs(id: bigint): boolean {
    return this.#filters.get(id)?.criteria.kind === 'logs'
  }

  /** Removes a filter; returns false if there is none. */
  remove(id: bigint): boolean {
    const filter = this.#find(id)
    if (filter !== undefined) this.#delete(id, filter)
    return filter !== undefined
  }

  /** Returns the criteria of a log filter. This counts as a poll. */
  logFilter(id: bigint): LogFilter {
    const { criteria } = this.#use(id)
    if (criteria.kind === 'logs') return criteria.filter
    const name = filterNames[criteria.kind]
    throw refused(`filter ${toQuantity(id)} is a ${name} filter, not a log filter`)
  }

  /**
   * Polls a filter. Polls of the same filter run one after the other, and each gets what is new since the one
   * before.
   */
  changes(id: bigint, scope: SearchScope): MaybePromise<FilterChanges> {
    const filter = this.#use(id)
    const poll = (): MaybePromise<FilterChanges> =>
      this.#recorded(id, filter, this.#sources.poll(filter, scope))
    const changes = filter.polling === undefined ? poll() : filter.polling.then(poll)
    if (changes instanceof Promise) {
      const polling: Promise<void> = changes.then(noop, noop).then(() => {
        if (filter.polling === polling) filter.polling = undefined
      })
      filter.polling = polling
    }
    return changes
  }

  /** Removes filters that were not polled for too long; returns true if more may be left. */
  sweep(): boolean {
    const deadline = this.#dependencies.now() - this.#options.filterTimeout
    let removed = 0
    for (const [id, filter] of this.#filters) {
      if (filter.usedAt > deadline) return false
      if (removed++ === sweepFilters) return true
      this.#delete(id, filter)
    }
    return false
  }

  close(): void {
    clearInterval(this.#timer)
    this.#sources.close()
  }

  #sweepAll(): void {
    if (this.sweep()) setImmediate(() => this.#sweepAll())
  }

  #add(criteria: FilterKind, owner: FilterOwner, client: MemoryClient): bigint {
    const count = this.#counts.get(owner) ?? 0
    const { filterCap } = this.#options
    if (count >= filterCap)
      throw limitExceeded(`too many filters: at most ${filterCap} a client (json-rpc.filter-cap)`)
    this.#takeMemory(client, bytesOf(criteria))
    const id = createFilterId()
    this.#sources.listen(criteria)
    const head = this.#dependencies.chain.head().number
    const { first, last } = liveRange(criteria, head)
    const next = this.#sources.nextOfPool(criteria) ?? Math.max(first, head + 1)
    const filter = { criteria, first, last, since: next, next }
    this.#insert(id, { ...filter, owner, client, usedAt: this.#dependencies.now() })
    if (typeof owner === 'string')
      this.#dependencies.journal?.add({ ...filter, id, owner, usedAt: Date.now() })
    return id
  }

  #insert(id: bigint, filter: Omit<Filter, 'removed' | 'polling'>): void {
    this.#filters.set(id, { ...filter, removed: undefined, polling: undefined })
    this.#counts.set(filter.owner, (this.#counts.get(filter.owner) ?? 0) + 1)
    if (this.#timer === undefined) this.#timer = setInterval(() => this.#sweepAll(), sweepIntervalMs).unref()
  }

  /** Continues a filter of the process before this one. What was pending meanwhile is not known to one of the pool. */
  #restore({ id, ...filter }: StoredFilter): void {
    const { criteria, owner, since, next, usedAt } = filter
    const { now, journal, memory } = this.#dependencies
    const idleMs = Math.max(0, Date.now() - usedAt)
    if (idleMs >= this.#options.filterTimeout || !memory.take(owner, bytesOf(criteria)))
      return journal?.remove(id)
    this.#sources.listen(criteria)
    const position = this.#sources.nextOfPool(criteria) ?? next
    this.#insert(id, {
      ...filter,
      client: owner,
      since: isOfPool(criteria) ? position : since,
      next: position,
      usedAt: now() - idleMs,
    })
  }

  /** Records where a poll ended, before its response is sent. */
  #recorded(id: bigint, filter: Filter, changes: MaybePromise<FilterChanges>): MaybePromise<FilterChanges> {
    const { journal } = this.#dependencies
    if (journal === undefined || typeof filter.owner !== 'string') return changes
    const record = (found: FilterChanges): FilterChanges => {
      journal.poll(id, filter.since, filter.next, Date.now())
      return found
    }
    return changes instanceof Promise ? changes.then(record) : record(changes)
  }

  /** Takes the memory of a new filter. Filters that nobody polls make room for it, if that is enough. */
  #takeMemory(client: MemoryClient, bytes: number): void {
    const { memory } = this.#dependencies
    if (memory.take(client, bytes)) return
    for (const [id, filter] of this.#idleFilters(client, bytes)) this.#delete(id, filter)
    if (!memory.take(client, bytes)) throw memory.refusal()
  }

  /**
   * Returns the idle filters that must go for a client to take memory, the longest idle one first; none if all of them
   * are not enough. A client may end its own, and those of clients that hold more than it would: who holds much cannot
   * push out those who hold little.
   */
  #idleFilters(client: MemoryClient, bytes: number): readonly (readonly [bigint, Filter])[] {
    const { memory, now } = this.#dependencies
    const idleSince = now() - idleMs
    const wanted = memory.heldBy(client) + bytes
    const found: (readonly [bigint, Filter])[] = []
    const freed = { own: 0, all: 0 }
    let looks = 0
    for (const [id, filter] of this.#filters) {
      if (filter.usedAt > idleSince || looks++ === maxLooks) return []
      const isOwn = filter.client === client
      if (!isOwn && memory.heldBy(filter.client) < wanted) continue
      found.push([id, filter])
      freed.all += bytesOf(filter.criteria)
      if (isOwn) freed.own += bytesOf(filter.criteria)
      if (memory.hasRoom(client, bytes, freed)) return found
    }
    return []
  }

  #find(id: bigint): Filter | undefined {
    const filter = this.#filters.get(id)
    const isExpired = filter && filter.usedAt <= this.#dependencies.now() - this.#options.filterTimeout
    if (!isExpired) return filter
    this.#delete(id, filter)
    return undefined
  }

  #use(id: bigint): Filter {
    const filter = this.#find(id)
    if (filter === undefined) throw refused('filter not found')
    filter.usedAt = this.#dependencies.now()
    this.#filters.delete(id)
    this.#filters.set(id, filter)
    return filter
  }

  #delete(id: bigint, { owner, client, criteria }: Filter): void {
    this.#filters.delete(id)
    this.#dependencies.journal?.remove(id)
    this.#dependencies.memory.give(client, bytesOf(criteria))
    const left = (this.#counts.get(owner) ?? 0) - 1
    if (left > 0) this.#counts.set(owner, left)
    else this.#counts.delete(owner)
    this.#sources.unlisten(criteria)
    if (this.#filters.size > 0) return
    clearInterval(this.#timer)
    this.#timer = undefined
  }

  /**
   * Where filters stand after a revert is journaled at once: a process that is killed before their next poll would leave
   * out the new blocks.
   */
  #onHead(change: HeadChange): void {
    if (change.kind !== 'reverted') return
    const moved = revertFilters(this.#filters, change)
    this.#dependencies.journal?.moveBack(moved)
  }
}

const bytesOf = (criteria: FilterKind): number =>
  criteriaBytes(criteria.kind === 'logs' ? patternItems(criteria.filter) : 0)

const noop = (): void => {}
