/** Where a filter stands that any gateway of a fleet can answer. */
export interface SharedFilter {
  readonly id: bigint
  /** The address of its client. */
  readonly owner: string
  /** What it looks for, as a text of whoever made it. */
  readonly criteria: string
  /** The first block that was or will be reported. */
  readonly since: number
  /** The next block, or the number of the last transaction that was reported. */
  readonly next: number
  /** Counts its polls. */
  readonly version: number
}

/** A transaction that became pending somewhere in the fleet. */
export interface SharedPending {
  readonly number: number
  readonly hash: Uint8Array
  readonly sender: Uint8Array
  readonly raw: Uint8Array
}

/**
 * The filters of a fleet of gateways. Every method rejects with a `ChainError` of kind `unavailable` while they cannot be
 * read.
 */
export interface SharedFilters {
  /** Adds a filter; returns false if its owner has as many as it may have. */
  add(filter: Omit<SharedFilter, 'version'>, cap: number): Promise<boolean>
  /** Returns a filter that was not used for too long as undefined; counts as a use. */
  use(id: bigint): Promise<SharedFilter | undefined>
  /**
   * Writes where a filter stands after a poll. Returns false if another poll came before, or the filter is gone. Where it is not
   * known whether it was written, this is found out.
   */
  move(filter: SharedFilter, to: Pick<SharedFilter, 'since' | 'next'>): Promise<boolean>
  /** Moves all filters of blocks back behind a block that is the newest again. */
  moveBack(block: number): Promise<void>
  remove(id: bigint): Promise<boolean>
  /** Returns the number of the newest pending transaction. */
  newestPending(): Promise<number>
  pendingHashesAfter(number: number, limit: number): Promise<readonly Omit<SharedPending, 'sender' | 'raw'>[]>
  /** Returns as many as are below so many bytes, and the one that reaches them. */
  pendingAfter(number: number, limit: number, bytes: number): Promise<readonly SharedPending[]>
}
