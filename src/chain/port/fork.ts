/** The remote chain that a chain for development was forked from. Its blocks up to the fork block are those of the remote. */
export interface ChainFork {
  /** The URL of the remote, without what may be a key. */
  readonly url: string
  readonly chainId: bigint
  /** The fork block. */
  readonly number: number
  readonly hash: Uint8Array
  /** How long a request that failed waits before it is repeated, in milliseconds. */
  readonly retryBackoffMs: number
  /**
   * Passes a request on to the remote and returns its result. Throws a `RemoteError` with the error that the remote answers,
   * or a `ChainError` if it does not answer.
   */
  ask(method: string, params: readonly unknown[], signal: AbortSignal): Promise<unknown>
  /** Asks another node from now on, which must have the fork block too. Throws a `ChainError` if it does not. */
  setUrl(url: string): Promise<void>
}

/** What a chain for development is started over with. */
export type ResetTarget =
  /** The block that it began with. */
  | { readonly kind: 'start' }
  /** A chain of its own. */
  | { readonly kind: 'local' }
  /** A block of a remote chain; what is undefined is the same remote, and its newest block. */
  | { readonly kind: 'fork'; readonly url: string | undefined; readonly block: number | undefined }
