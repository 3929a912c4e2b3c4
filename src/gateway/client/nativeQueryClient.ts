/** Questions to the application behind a CometBFT node, by gRPC or by `abci_query`. */
export interface NativeQueryClient {
  /**
   * The answer to a module's query, `/cosmos.evm.vm.v1.Query/Account`, in the state after the block of a height
   * (undefined: the newest). Throws a `NativeQueryError`.
   */
  query(
    path: string,
    request: Uint8Array,
    height: number | undefined,
    signal: AbortSignal,
  ): Promise<Uint8Array>
  /** A value of a module's store with its proof, by `abci_query` alone. */
  prove(store: string, key: Uint8Array, height: number, signal: AbortSignal): Promise<ProvenValue>
}

export interface ProvenValue {
  /** Empty where there is none. */
  readonly value: Uint8Array
  readonly height: number
  readonly operations: readonly {
    readonly type: string
    readonly key: Uint8Array
    readonly data: Uint8Array
  }[]
}

export type NativeQueryErrorKind =
  /** The chain has no such query. */
  | 'unknown path'
  /** The state of that height is not kept, or not by any node that is known. */
  | 'pruned'
  /** There is no such height yet. */
  | 'future height'
  /** The module refused; the message is its own, without the wrapping of transports. */
  | 'refused'
  /** No node answered in time. */
  | 'unavailable'

export class NativeQueryError extends Error {
  override readonly name = 'NativeQueryError'
  readonly kind: NativeQueryErrorKind

  constructor(fault: NativeQueryErrorKind, message: string) {
    super(message)
    this.kind = fault
  }
}
