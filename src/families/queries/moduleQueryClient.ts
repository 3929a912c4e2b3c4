import {
  create,
  type DescMessage,
  type MessageInitShape,
  type MessageShape,
  toBinary,
} from '@bufbuild/protobuf'
import { unavailable } from '../../chain/chainError.ts'
import {
  type NativeQueryClient,
  NativeQueryError,
  type ProvenValue,
  readableAs,
} from '../../comet/data/nativeQuery.ts'
import type { ChainInfo } from '../../cosmos/chainInfo.ts'
import {
  StatusRequestSchema,
  StatusResponseSchema,
} from '../../cosmos/gen/cosmos/base/node/v1beta1/query_pb.ts'
import { decodeLargeMessage } from '../../cosmos/protobuf.ts'
import type { QueryMethod } from '../../cosmos/queries/moduleMethods.ts'
import { toChainError } from './chainErrors.ts'

export type ModuleInfo = Pick<ChainInfo, 'evmPackage' | 'feemarketPackage' | 'earliestState'>

/** How long the earliest height that an upstream reported is cached. */
const earliestMs = 10_000

/** Returns the lowest height from `from` on whose state is kept, by asking for some. */
export type EarliestSearch = (from: number, signal: AbortSignal) => Promise<number>

/** Typed queries of a chain's modules. Failures are thrown as `ChainError`. */
export class ModuleQueryClient {
  readonly #queries: NativeQueryClient
  readonly #chainInfo: ModuleInfo
  readonly #searchEarliest: EarliestSearch | undefined
  #earliest: { readonly height: number; readonly until: number } | undefined

  constructor(queries: NativeQueryClient, chainInfo: ModuleInfo, searchEarliest?: EarliestSearch) {
    this.#queries = queries
    this.#chainInfo = chainInfo
    this.#searchEarliest = searchEarliest
  }

  /**
   * Queries the EVM module in the state after block `height`. If `areValues` rejects the response, it is not cached, and another
   * node is asked.
   */
  evm<Request extends DescMessage, Response extends DescMessage>(
    method: QueryMethod<Request, Response>,
    request: MessageInitShape<Request>,
    height: number,
    signal: AbortSignal,
    areValues?: (message: MessageShape<Response>) => boolean,
  ): Promise<MessageShape<Response>> {
    return this.#query(this.#chainInfo.evmPackage, method, request, height, signal, areValues)
  }

  feemarket<Request extends DescMessage, Response extends DescMessage>(
    method: QueryMethod<Request, Response>,
    request: MessageInitShape<Request>,
    height: number,
    signal: AbortSignal,
  ): Promise<MessageShape<Response>> {
    return this.#query(this.#chainInfo.feemarketPackage, method, request, height, signal)
  }

  async prove(store: string, key: Uint8Array, height: number, signal: AbortSignal): Promise<ProvenValue> {
    try {
      return await this.#queries.prove(store, key, height, signal)
    } catch (error) {
      throw await this.#toChainError(error, height, signal)
    }
  }

  /** The lowest height whose state is kept, as far as it is known. */
  get earliestState(): number {
    return Math.max(this.#chainInfo.earliestState, this.#earliest?.height ?? 0)
  }

  async #query<Request extends DescMessage, Response extends DescMessage>(
    packageName: string,
    { name, request: requestSchema, response: responseSchema }: QueryMethod<Request, Response>,
    request: MessageInitShape<Request>,
    height: number,
    signal: AbortSignal,
    areValues?: (message: MessageShape<Response>) => boolean,
  ): Promise<MessageShape<Response>> {
    const bytes = toBinary(requestSchema, create(requestSchema, request))
    let answer: Uint8Array
    try {
      const path = `/${packageName}.Query/${name}`
      answer = await this.#queries.query(path, bytes, height, signal, readableAs(responseSchema, areValues))
    } catch (error) {
      throw await this.#toChainError(error, height, signal)
    }
    const message = decodeLargeMessage(responseSchema, answer)
    if (message === undefined) throw unavailable(`the chain's response to ${name} cannot be read`)
    return message
  }

  async #toChainError(error: unknown, height: number, signal: AbortSignal): Promise<unknown> {
    if (error instanceof NativeQueryError && error.kind === 'pruned')
      await this.#refreshEarliest(height, signal)
    return toChainError(error, height, this.earliestState)
  }

  /** Fetches the earliest height whose state is kept, which rises while the chain grows. */
  async #refreshEarliest(pruned: number, signal: AbortSignal): Promise<void> {
    const isRecent = this.#earliest !== undefined && this.#earliest.until > performance.now()
    if (isRecent && pruned < this.earliestState) return
    const height = await this.#fetchEarliest(pruned, signal).catch(() => undefined)
    if (height !== undefined) this.#earliest = { height, until: performance.now() + earliestMs }
  }

  async #fetchEarliest(pruned: number, signal: AbortSignal): Promise<number | undefined> {
    try {
      const path = '/cosmos.base.node.v1beta1.Service/Status'
      const request = toBinary(StatusRequestSchema, create(StatusRequestSchema))
      const answer = await this.#queries.query(path, request, undefined, signal)
      const height = Number(decodeLargeMessage(StatusResponseSchema, answer)?.earliestStoreHeight ?? 0n)
      if (height > 0) return height
    } catch (error) {
      if (!(error instanceof NativeQueryError) || error.kind === 'unavailable') throw error
      // Older chains do not report it.
    }
    return this.#searchEarliest?.(Math.max(pruned + 1, this.earliestState), signal)
  }
}
