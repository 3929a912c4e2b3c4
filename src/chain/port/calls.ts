/** Which calls are wanted, by the addresses at their two ends. */
export interface CallQuery {
  /** Those who call, create or are destroyed; any if the list is empty. */
  readonly callers: readonly Uint8Array[]
  /** Those who are called, created or heirs; any if the list is empty. */
  readonly callees: readonly Uint8Array[]
  readonly mode: 'union' | 'intersection'
}

/** The index of the addresses in calls (`index.calls`). It follows the head at some distance. */
export interface CallIndex {
  /** Returns the oldest and the newest block that are indexed; undefined before the first. */
  coverage(): { readonly oldest: number; readonly newest: number } | undefined
  /** Returns the blocks of a range in which calls may match, in order; others have none. */
  blocks(query: CallQuery, from: number, to: number): Iterable<number>
}
