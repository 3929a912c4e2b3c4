/** How a call to another replica is made. */
export interface PeerRequest {
  readonly timeoutMs: number
  readonly signal: AbortSignal
  /** The address of the client for whom it is asked, by which the peer limits rates. */
  readonly client?: string | undefined
}

/** The answer of a peer: a result, or the error that the caller gets. */
export type PeerAnswer =
  | { readonly result: unknown; readonly error?: undefined }
  | { readonly error: { readonly code: number; readonly message: string; readonly data?: unknown } }

/** A call from one replica to another, with the proof that its sender has the shared token. The token does not travel. */
export interface PeerCall {
  /** The number of the replica that asks, and of the one that is asked. */
  readonly from: number
  readonly to: number
  /** When it was made, in milliseconds since 1970. */
  readonly time: number
  /** A random text, so that no two calls are the same. */
  readonly nonce: string
  /** The JSON of the method and its parameters. */
  readonly call: string
  /** The instance of the replica that is asked, if that has said that the call needs it. */
  readonly instance?: string | undefined
  readonly mac: string
}

/** Why a call of a peer is refused. */
export interface PeerFault {
  readonly reason: string
  /** What the call has to name to be taken; undefined if that would not help. */
  readonly instance?: string | undefined
}

/** An answer as it travels, with the proof that whoever made it for this call has the token. */
export interface SignedAnswer {
  /** The JSON of the answer. */
  readonly answer: string
  readonly mac: string
}

/** The replicas behind one balancer, as one of them sees them. */
export interface ReplicaPeers {
  readonly self: number
  /** The name of this process. */
  readonly instance: string
  has(replica: number): boolean
  /** Returns whether a replica has been away for so long that its filters have expired. */
  isGone(replica: number): boolean
  /** Returns whether a replica is there and lets this one ask nothing, for a reason that an operator has to mend. */
  refuses(replica: number): boolean
  /** Asks a replica; rejects if it does not answer, or refuses to. */
  ask(replica: number, method: string, params: readonly unknown[], request: PeerRequest): Promise<PeerAnswer>
  /** Asks all others at once, and returns the results of those that have one. */
  askAll(method: string, params: readonly unknown[], request: PeerRequest): Promise<readonly unknown[]>
  /** Returns the replicas in the order in which they are responsible for a key. */
  ranking(key: Uint8Array): readonly number[]
  /** Returns blocks of the store for a new replica, from a height or from the oldest on. */
  exportBlocks(from: number | undefined): unknown
  /** Returns what is wrong with a call of a peer; undefined if nothing is, and then never again for the same call. */
  findFault(call: PeerCall): PeerFault | undefined
  signAnswer(call: PeerCall, answer: PeerAnswer): SignedAnswer
}
