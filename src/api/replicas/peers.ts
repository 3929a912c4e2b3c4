/** How a call to another replica is made. */
export interface PeerRequest {
  readonly timeoutMs: number
  readonly signal: AbortSignal
  readonly client?: string | undefined
}

/** The answer of a peer: a result, or the error that the caller gets. */
export type PeerAnswer =
  | { readonly result: unknown; readonly error?: undefined }
  | { readonly error: { readonly code: number; readonly message: string; readonly data?: unknown } }

/** A call of a peer, as it came. */
export interface PeerCall {
  readonly from: number
  readonly to: number
  readonly time: number
  readonly call: string
  readonly mac: string
}

/** The replicas behind one balancer, as one of them sees them. */
export interface ReplicaPeers {
  readonly self: number
  has(replica: number): boolean
  /** Returns whether a replica has been away for so long that its filters have expired. */
  isGone(replica: number): boolean
  /** Asks a replica; rejects if it does not answer. */
  ask(replica: number, method: string, params: readonly unknown[], request: PeerRequest): Promise<PeerAnswer>
  /** Asks all others at once, and returns the results of those that have one. */
  askAll(method: string, params: readonly unknown[], request: PeerRequest): Promise<readonly unknown[]>
  /** Returns the replicas in the order in which they are responsible for a key. */
  ranking(key: Uint8Array): readonly number[]
  /** Returns blocks of the store for a new replica, from a height or from the oldest on. */
  exportBlocks(from: number | undefined): unknown
  /** Returns what is wrong with a call of a peer; undefined if nothing is. */
  findFault(call: PeerCall): string | undefined
}
