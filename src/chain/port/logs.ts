import type { MaybePromise } from '../../base/async/maybePromise.ts'
import type { Waiter } from '../../base/async/waiter.ts'
import type { TransactionLocation } from './location.ts'

/** The addresses and topics that a log must have. */
export interface LogPattern {
  /** The addresses that match; any address matches if the list is empty. */
  readonly addresses: readonly Uint8Array[]
  /**
   * The topics that match at each position; any topic matches if a list is empty. A log needs as many topics
   * as there are positions.
   */
  readonly topics: readonly (readonly Uint8Array[])[]
}

/** The matching logs of one block, in order. */
export interface BlockLogs {
  readonly number: number
  readonly count: number
  /** The stored JSON of the logs, separated by commas. */
  readonly text: Uint8Array
  /** The JSON of each log; views into `text`. */
  readonly logs: readonly Uint8Array[]
}

/**
 * A query for the transactions in which an address is sender, recipient, created contract or origin of a log.
 */
export interface AppearanceQuery {
  readonly address: Uint8Array
  /**
   * The first location that may be returned; undefined to start at the end of the chain that `direction`
   * implies.
   */
  readonly from: TransactionLocation | undefined
  readonly direction: 'forward' | 'backward'
  readonly limit: number
}

/** The blocks whose logs can be searched. */
export interface LogBounds {
  /** The oldest one, which `earliest` means in a range. */
  readonly earliest: number
  /** The first one that is not asked of another node. */
  readonly firstHere: number
}

/** Searches the indexes of logs and appearances. */
export interface LogReader {
  /** Returns which blocks can be searched, and which of them are kept here. */
  bounds(): LogBounds
  /**
   * Returns the blocks with matches from `from` to `to`, both included, in order. The iterator finds each
   * block when it is requested, so that the reader can stop or yield after any of them; blocks without a
   * match cost nothing. A long search also returns blocks without logs (`count` 0) to report its progress.
   * Throws a `ChainError` if the range is pruned, or if its blocks were reverted during the search.
   */
  search(pattern: LogPattern, from: number, to: number): Iterable<BlockLogs>
  /** Does the same for all blocks within the bounds. Those that are not kept here are asked of another node first. */
  searchAll(pattern: LogPattern, from: number, to: number, waiter: Waiter): MaybePromise<Iterable<BlockLogs>>
  /** Returns the locations that match the query. Throws a `ChainError` if the index is not kept. */
  appearances(query: AppearanceQuery): readonly TransactionLocation[]
}
