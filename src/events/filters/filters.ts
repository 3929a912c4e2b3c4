import type { MaybePromise } from '../../base/async/maybePromise.ts'
import type { LogFilter } from '../../chain/port/logFilter.ts'
import type { MemoryClient } from '../criteriaMemory.ts'
import type { SearchScope } from './collectLogs.ts'
import type { FilterChanges } from './filterSources.ts'
import type { FilterOwner } from './kinds.ts'

/** The filters that clients poll, by their ids. */
export interface Filters {
  /** Adds a filter. It counts among those of `owner` and takes the memory of `client`, which may have many connections. */
  addLogs(filter: LogFilter, owner: FilterOwner, client?: MemoryClient): MaybePromise<bigint>
  addBlocks(owner: FilterOwner, client?: MemoryClient): MaybePromise<bigint>
  addPending(owner: FilterOwner, client?: MemoryClient): MaybePromise<bigint>
  /** Adds a filter that reports whole transactions, as they were when they became pending. */
  addTransactions(owner: FilterOwner, client?: MemoryClient): MaybePromise<bigint>
  /** Returns whether a poll of the filter is a search for logs, as far as is known. */
  searchesLogs(id: bigint): boolean
  /** Removes a filter; returns false if there is none. */
  remove(id: bigint): MaybePromise<boolean>
  /** Returns the criteria of a log filter. This counts as a poll. */
  logFilter(id: bigint): MaybePromise<LogFilter>
  /** Polls a filter. Polls of the same filter run one after the other, and each gets what is new since the one before. */
  changes(id: bigint, scope: SearchScope): MaybePromise<FilterChanges>
}
