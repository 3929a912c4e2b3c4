import { randomBytes } from 'node:crypto'
import { toBigInt } from '../../base/bytes.ts'
import { toQuantity } from '../../base/hex.ts'
import type { MaybePromise } from '../../base/maybePromise.ts'
import type { LogFilter } from '../../chain/block/logFilter.ts'
import { limitExceeded, refused } from '../../chain/chainError.ts'
import type { BlockReader } from '../../chain/port/blocks.ts'
import type { Chain } from '../../chain/port/chain.ts'
import type { Events, HeadChange } from '../../chain/port/events.ts'
import type { LogReader } from '../../chain/port/logs.ts'
import { type Filter, type FilterKind, filterNames, liveRange } from './kinds.ts'
import { gatherLogs, type LogLimits } from './logs.ts'
import { matchingLogs } from './removed.ts'
import { HashRing } from './ring.ts'

/** The settings of `[json-rpc]` that filters obey. The limits are those of one poll: what is past them comes with the next one. */
export interface FilterOptions extends LogLimits {
  /** How long a filter lives without a poll, in milliseconds. */
  readonly filterTimeout: number
  /** Filters that one owner may have. */
  readonly filterCap: number
}

export interface FilterDependencies {
  readonly chain: Pick<Chain, 'head'> & {
    readonly blocks: Pick<BlockReader, 'hash'>
    readonly logs: Pick<LogReader, 'search'>
  }
  readonly events: Pick<Events, 'onHead' | 'onPending'>
  /** Milliseconds of a clock that never goes back. */
  readonly now: () => number
}

/** Who made a filter: a connection, or the address of a client without one. */
export type FilterOwner = object | string

/** What a filter found since the last poll. */
export type FilterChanges =
  | { readonly kind: 'hashes'; readonly hashes: readonly Uint8Array[] }
  /** JSON of logs, to be joined by commas. */
  | { readonly kind: 'logs'; readonly parts: readonly Uint8Array[] }

/** Hashes of transactions that are kept for filters, all together: 8 MB. */
const keptHashes = 262_144
/** Hashes in one poll. */
const pollHashes = 10_000
const blocks: FilterKind = { kind: 'blocks' }
const pending: FilterKind = { kind: 'pending' }
const sweepIntervalMs = 1_000
/** Filters that one sweep looks at, so that it is short. */
const sweepFilters = 5_000

/**
 * The filters that clients poll. A filter is a place: the next block, or the next of the pool's hashes, that its client
 * has not seen. What happened is read when it is polled, so that a filter costs the same few bytes whatever happens.
 */
export class Filters {
  readonly #options: FilterOptions
  readonly #dependencies: FilterDependencies
  /** In the order of their last use. */
  readonly #filters = new Map<bigint, Filter>()
  readonly #counts = new Map<FilterOwner, number>()
  readonly #ring = new HashRing(keptHashes)
  /** Of blocks and logs. */
  #blockFilters = 0
  #endHead: (() => void) | undefined
  #pendingFilters = 0
  #endPending: (() => void) | undefined
  #timer: NodeJS.Timeout | undefined

  constructor(options: FilterOptions, dependencies: FilterDependencies) {
    this.#options = options
    this.#dependencies = dependencies
  }

  get size(): number {
    return this.#filters.size
  }

  addLogs(filter: LogFilter, owner: FilterOwner): bigint {
    return this.#add({ kind: 'logs', filter }, owner)
  }

  addBlocks(owner: FilterOwner): bigint {
    return this.#add(blocks, owner)
  }

  addPending(owner: FilterOwner): bigint {
    return this.#add(pending, owner)
  }

  /** False where there is none. */
  remove(id: bigint): boolean {
    const filter = this.#find(id)
    if (filter !== undefined) this.#delete(id, filter)
    return filter !== undefined
  }

  /** What a log filter asks for; the question counts as a poll. */
  logFilter(id: bigint): LogFilter {
    const { what } = this.#use(id)
    if (what.kind === 'logs') return what.filter
    const name = filterNames[what.kind]
    throw refused(`filter ${toQuantity(id)} is a ${name} filter, not a log filter`)
  }

  /** Polls of one filter take turns: each gets what is new since the one before. */
  changes(id: bigint, signal: () => AbortSignal): MaybePromise<FilterChanges> {
    const filter = this.#use(id)
    const poll = (): MaybePromise<FilterChanges> => this.#poll(filter, signal)
    const changes = filter.turn === undefined ? poll() : filter.turn.then(poll)
    if (changes instanceof Promise) {
      const turn: Promise<void> = changes.then(noop, noop).then(() => {
        if (filter.turn === turn) filter.turn = undefined
      })
      filter.turn = turn
    }
    return changes
  }

  /** Forgets filters that nobody polled for too long; true where more may be left. */
  sweep(): boolean {
    const deadline = this.#dependencies.now() - this.#options.filterTimeout
    let looked = 0
    for (const [id, filter] of this.#filters) {
      if (filter.usedAt > deadline) return false
      if (looked++ === sweepFilters) return true
      this.#delete(id, filter)
    }
    return false
  }

  close(): void {
    clearInterval(this.#timer)
    this.#endHead?.()
    this.#endPending?.()
  }

  #sweepAll(): void {
    if (this.sweep()) setImmediate(() => this.#sweepAll())
  }

  #add(what: FilterKind, owner: FilterOwner): bigint {
    const count = this.#counts.get(owner) ?? 0
    const { filterCap } = this.#options
    if (count >= filterCap)
      throw limitExceeded(`too many filters: at most ${filterCap} a client (json-rpc.filter-cap)`)
    const id = toBigInt(randomBytes(16))
    if (what.kind === 'pending') this.#listenToPool()
    else this.#listenToHead()
    const head = this.#dependencies.chain.head().number
    const { first, last } = liveRange(what, head)
    const next = what.kind === 'pending' ? this.#ring.next : Math.max(first, head + 1)
    this.#filters.set(id, {
      what,
      owner,
      first,
      last,
      since: next,
      next,
      usedAt: this.#dependencies.now(),
      removed: undefined,
      turn: undefined,
    })
    this.#counts.set(owner, count + 1)
    if (this.#timer === undefined) this.#timer = setInterval(() => this.#sweepAll(), sweepIntervalMs).unref()
    return id
  }

  #find(id: bigint): Filter | undefined {
    const filter = this.#filters.get(id)
    const isOver = filter && filter.usedAt <= this.#dependencies.now() - this.#options.filterTimeout
    if (!isOver) return filter
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

  #delete(id: bigint, { owner, what }: Filter): void {
    this.#filters.delete(id)
    const left = (this.#counts.get(owner) ?? 0) - 1
    if (left > 0) this.#counts.set(owner, left)
    else this.#counts.delete(owner)
    if (what.kind !== 'pending') {
      if (--this.#blockFilters === 0) this.#endHead?.()
    } else if (--this.#pendingFilters === 0) {
      this.#endPending?.()
      this.#ring.clear()
    }
    if (this.#filters.size > 0) return
    clearInterval(this.#timer)
    this.#timer = undefined
  }

  /** Only while somebody has to know: to tell of blocks that go, they are read before. */
  #listenToHead(): void {
    if (this.#blockFilters++ > 0) return
    this.#endHead = this.#dependencies.events.onHead((change) => this.#onHead(change))
  }

  #listenToPool(): void {
    if (this.#pendingFilters++ > 0) return
    this.#endPending = this.#dependencies.events.onPending(({ hash }) => this.#ring.push(hash))
  }

  #poll(filter: Filter, signal: () => AbortSignal): MaybePromise<FilterChanges> {
    switch (filter.what.kind) {
      case 'logs':
        return this.#pollLogs(filter, filter.what.filter, signal)
      case 'blocks':
        return { kind: 'hashes', hashes: this.#pollBlocks(filter) }
      case 'pending':
        return { kind: 'hashes', hashes: this.#pollPending(filter) }
    }
  }

  #pollLogs(filter: Filter, pattern: LogFilter, signal: () => AbortSignal): MaybePromise<FilterChanges> {
    const { chain } = this.#dependencies
    const from = filter.next
    const to = Math.min(chain.head().number, filter.last)
    const { removed } = filter
    const gathered = gatherLogs(chain.logs.search(pattern, from, to), this.#options, signal)
    const finish = ({ parts, stop }: Awaited<typeof gathered>): FilterChanges => {
      // Where blocks were taken back meanwhile, the place was moved, and the search has failed.
      filter.next = Math.max(from, stop?.number ?? to + 1)
      filter.removed = undefined
      return { kind: 'logs', parts: [...matchingLogs(pattern, removed ?? []), ...parts] }
    }
    return gathered instanceof Promise ? gathered.then(finish) : finish(gathered)
  }

  #pollBlocks(filter: Filter): Uint8Array[] {
    const { chain } = this.#dependencies
    const end = Math.min(chain.head().number, filter.next + pollHashes - 1)
    const hashes: Uint8Array[] = []
    for (; filter.next <= end; filter.next++) {
      const hash = chain.blocks.hash(filter.next)
      // Gone, and about to be told of.
      if (hash === undefined) break
      hashes.push(hash)
    }
    return hashes
  }

  #pollPending(filter: Filter): readonly Uint8Array[] {
    const { hashes, next, missed } = this.#ring.read(filter.next, pollHashes)
    if (missed === 0) {
      filter.next = next
      return hashes
    }
    filter.next += missed
    const why = `${missed} transactions since the last poll are not kept any more: poll more often`
    throw limitExceeded(why)
  }

  /** Blocks are gone: what was reported of them is taken back, and the blocks in their place are to be reported. */
  #onHead(change: HeadChange): void {
    if (change.kind !== 'taken back') return
    const { to } = change
    let removedLogs: ReturnType<typeof change.removedLogs> | undefined
    for (const filter of this.#filters.values()) {
      if (filter.what.kind === 'pending') continue
      if (filter.what.kind === 'logs' && filter.next > to + 1 && filter.next > filter.since) {
        removedLogs ??= change.removedLogs()
        filter.removed = [
          ...(filter.removed ?? []),
          { blocks: removedLogs, from: Math.max(to + 1, filter.since), to: filter.next - 1 },
        ]
      }
      filter.next = Math.max(filter.first, Math.min(filter.next, to + 1))
      filter.since = Math.min(filter.since, filter.next)
    }
  }
}

const noop = (): void => {}
