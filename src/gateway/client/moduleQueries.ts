import {
  create,
  type DescMessage,
  type MessageInitShape,
  type MessageShape,
  toBinary,
} from '@bufbuild/protobuf'
import { unavailable } from '../../chain/chainError.ts'
import {
  StatusRequestSchema,
  StatusResponseSchema,
} from '../../cosmos/gen/cosmos/base/node/v1beta1/query_pb.ts'
import { decodeMessage } from '../../cosmos/protobuf.ts'
import type { QueryMethod } from '../../cosmos/queries/moduleMethods.ts'
import type { ChainFacts } from '../families/chainFacts.ts'
import { explainFault } from './chainErrors.ts'
import { type NativeQueries, NativeQueryError, type ProvenValue } from './nativeQueries.ts'

export type PackageFacts = Pick<ChainFacts, 'evmPackage' | 'feemarketPackage' | 'earliestState'>

/** How long the earliest height that a node named counts. */
const earliestMs = 10_000

/** The queries of a chain's modules, in the words of the port: what goes wrong is a `ChainError`. */
export class ModuleQueries {
  readonly #queries: NativeQueries
  readonly #facts: PackageFacts
  #earliest: { readonly height: number; readonly until: number } | undefined

  constructor(queries: NativeQueries, facts: PackageFacts) {
    this.#queries = queries
    this.#facts = facts
  }

  /** Of the EVM module, in the state after the block of a height. */
  evm<Request extends DescMessage, Response extends DescMessage>(
    method: QueryMethod<Request, Response>,
    request: MessageInitShape<Request>,
    height: number,
    signal: AbortSignal,
  ): Promise<MessageShape<Response>> {
    return this.#ask(this.#facts.evmPackage, method, request, height, signal)
  }

  feemarket<Request extends DescMessage, Response extends DescMessage>(
    method: QueryMethod<Request, Response>,
    request: MessageInitShape<Request>,
    height: number,
    signal: AbortSignal,
  ): Promise<MessageShape<Response>> {
    return this.#ask(this.#facts.feemarketPackage, method, request, height, signal)
  }

  async prove(store: string, key: Uint8Array, height: number, signal: AbortSignal): Promise<ProvenValue> {
    try {
      return await this.#queries.prove(store, key, height, signal)
    } catch (error) {
      throw await this.#explain(error, height, signal)
    }
  }

  /** The lowest height whose state is kept, as far as is known. */
  get earliestState(): number {
    return Math.max(this.#facts.earliestState, this.#earliest?.height ?? 0)
  }

  async #ask<Request extends DescMessage, Response extends DescMessage>(
    packageName: string,
    { name, request: requestSchema, response: responseSchema }: QueryMethod<Request, Response>,
    request: MessageInitShape<Request>,
    height: number,
    signal: AbortSignal,
  ): Promise<MessageShape<Response>> {
    const bytes = toBinary(requestSchema, create(requestSchema, request))
    let answer: Uint8Array
    try {
      answer = await this.#queries.query(`/${packageName}.Query/${name}`, bytes, height, signal)
    } catch (error) {
      throw await this.#explain(error, height, signal)
    }
    const message = decodeMessage(responseSchema, answer)
    if (message === undefined) throw unavailable(`the chain's answer to ${name} cannot be read`)
    return message
  }

  async #explain(error: unknown, height: number, signal: AbortSignal): Promise<unknown> {
    if (error instanceof NativeQueryError && error.fault === 'pruned') await this.#lookForEarliest(signal)
    return explainFault(error, height, this.earliestState)
  }

  /** What was kept at the start is given up while the chain grows: the node says how far it is. */
  async #lookForEarliest(signal: AbortSignal): Promise<void> {
    if (this.#earliest !== undefined && this.#earliest.until > performance.now()) return
    try {
      const path = '/cosmos.base.node.v1beta1.Service/Status'
      const request = toBinary(StatusRequestSchema, create(StatusRequestSchema))
      const answer = await this.#queries.query(path, request, undefined, signal)
      const height = Number(decodeMessage(StatusResponseSchema, answer)?.earliestStoreHeight ?? 0n)
      this.#earliest = { height, until: performance.now() + earliestMs }
    } catch {
      // Older chains do not tell: what was found at the start is named.
    }
  }
}
