import type { DescMessage, MessageShape } from '@bufbuild/protobuf'
import { decodeLargeMessage } from '../../cosmos/protobuf.ts'

/** Returns whether a response is what was requested at all. */
export type ResponseCheck = (response: Uint8Array) => boolean

/** Returns the check that a response is a message of this type, and that `areValues` accepts its values. */
export const readableAs =
  <Schema extends DescMessage>(
    schema: Schema,
    areValues: (message: MessageShape<Schema>) => boolean = () => true,
  ): ResponseCheck =>
  (response) => {
    const message = decodeLargeMessage(schema, response)
    return message !== undefined && areValues(message)
  }

/** Queries of the application behind a CometBFT node, by gRPC or by `abci_query`. */
export interface NativeQueryClient {
  /**
   * Returns the response of a module's query, such as `/cosmos.evm.vm.v1.Query/Account`, in the state after block
   * `height` (undefined: the newest). A response that cannot be read counts as none, and is not kept. Throws a
   * `NativeQueryError`.
   */
  query(
    path: string,
    request: Uint8Array,
    height: number | undefined,
    signal: AbortSignal,
    isReadable?: ResponseCheck,
  ): Promise<Uint8Array>
  /** Returns a value of a module's store with its proof. This works only by `abci_query`. */
  prove(store: string, key: Uint8Array, height: number, signal: AbortSignal): Promise<ProvenValue>
}

export interface ProvenValue {
  /** The value; empty if there is none. */
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
  /** The state of that height is not kept by any known upstream. */
  | 'pruned'
  /** The chain has not reached that height yet. */
  | 'future height'
  /** The module rejected the query; the message is the module's, without the prefixes of transports. */
  | 'refused'
  /** No upstream answered in time. */
  | 'unavailable'

export class NativeQueryError extends Error {
  override readonly name = 'NativeQueryError'
  readonly kind: NativeQueryErrorKind

  constructor(kind: NativeQueryErrorKind, message: string) {
    super(message)
    this.kind = kind
  }
}
