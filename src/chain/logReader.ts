/** What a log has to look like. */
export interface LogPattern {
  /** None: from anywhere. */
  readonly addresses: readonly Uint8Array[]
  /** For each position the topics that match; none: any. */
  readonly topics: readonly (readonly Uint8Array[])[]
}

/** The logs of one block that match, each as JSON, in order. */
export interface BlockLogs {
  readonly number: number
  readonly logs: readonly Uint8Array[]
}

/** Indexed search. */
export interface LogReader {
  /**
   * Blocks with matches between two heights, both included, in order. Finds each one when it is asked for it, so that
   * who reads can stop, or let others run, after any of them; costs nothing for blocks without a match.
   */
  search(pattern: LogPattern, from: number, to: number): Iterable<BlockLogs>
}
