import {
  create,
  type DescMessage,
  type MessageInitShape,
  type MessageShape,
  toBinary,
} from '@bufbuild/protobuf'
import type { MaybePromise } from '../../../base/async/maybePromise.ts'
import type { Header } from '../../../chain/block/header.ts'
import { headerNotFound } from '../../../chain/chainError.ts'
import type { BlockRef } from '../../../chain/port/blockRef.ts'
import type { Chain } from '../../../chain/port/chain.ts'
import type { StateView } from '../../../chain/port/state.ts'
import { decodeMessage } from '../../../cosmos/protobuf.ts'
import { invalidArgumentError } from './queryError.ts'

/** The dependencies of query handlers. */
export interface QueryDependencies {
  readonly chain: Chain
  /** The minimum gas price of this node, in wei. */
  readonly minimumGasPrice: bigint
}

/** The context of one query: its height and its abort signal. */
export interface QueryContext extends QueryDependencies {
  /** The height whose state is queried; never above the head. */
  readonly height: number
  /** Aborted at the timeout of the query. */
  readonly signal: AbortSignal
}

/** Decodes a request and returns the encoded response; throws `QueryError` or `ChainError`. */
export type QueryHandlerFunction = (data: Uint8Array, context: QueryContext) => MaybePromise<Uint8Array>

/** The queries of a module with their paths. */
export type QueryRoutes = readonly (readonly [path: string, query: QueryHandlerFunction])[]

export const createQuery =
  <Request extends DescMessage, Response extends DescMessage>(
    requestSchema: Request,
    responseSchema: Response,
    handle: (
      request: MessageShape<Request>,
      context: QueryContext,
    ) => MaybePromise<MessageInitShape<Response>>,
  ): QueryHandlerFunction =>
  async (data, context) => {
    const request = decodeMessage(requestSchema, data)
    if (request === undefined) throw invalidArgumentError(`the request is not a ${requestSchema.typeName}`)
    return toBinary(responseSchema, create(responseSchema, await handle(request, context)))
  }

export const withPrefix = (
  prefix: string,
  queries: Readonly<Record<string, QueryHandlerFunction>>,
): QueryRoutes => Object.entries(queries).map(([name, handler]) => [`${prefix}/${name}`, handler])

export const toBlockRef = (height: number): BlockRef => ({ kind: 'number', number: BigInt(height) })

export const stateAtContext = async ({ chain, height }: QueryContext): Promise<StateView> =>
  chain.state(toBlockRef(height))

export const headerAtContext = ({ chain, height }: QueryContext): Header => {
  const header = chain.blocks.header(height)
  if (header === undefined) throw headerNotFound()
  return header
}
