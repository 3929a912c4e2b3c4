import type { TransactionLocation } from './location.ts'

/** What a log has to look like. */
export interface LogPattern {
  /** None: from anywhere. */
  readonly addresses: readonly Uint8Array[]
  /** For each position the topics that match; none: any. A log needs as many topics as there are positions. */
  readonly topics: readonly (readonly Uint8Array[])[]
}

/** The logs of one block that match, in order. */
export interface BlockLogs {
  readonly number: number
  readonly count: number
  /** Their JSON, as it was stored, with a comma between two. */
  readonly text: Uint8Array
  /** Each by itself: parts of the text. */
  readonly logs: readonly Uint8Array[]
}

/** Transactions in which an address is sender, recipient, created or the origin of a log, in the order asked for. */
export interface AppearanceQuery {
  readonly address: Uint8Array
  /** The first place that may be given; undefined: from the end that the direction begins at. */
  readonly from: TransactionLocation | undefined
  readonly direction: 'forward' | 'backward'
  readonly limit: number
}

/** Indexed search. */
export interface LogReader {
  /**
   * Blocks with matches between two heights, both included, in order. Finds each one when it is asked for it, so that
   * who reads can stop, or let others run, after any of them; costs nothing for blocks without a match. Where the
   * search takes long, blocks without logs (`count` 0) come too, which say how far it is. Throws a `ChainError` where
   * the range is not kept, or is not the same chain any more when the search goes on.
   */
  search(pattern: LogPattern, from: number, to: number): Iterable<BlockLogs>
  /** Throws a `ChainError` where no such index is kept. */
  appearances(query: AppearanceQuery): readonly TransactionLocation[]
}
