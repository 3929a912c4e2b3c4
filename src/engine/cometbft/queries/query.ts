import {
  create,
  type DescMessage,
  type MessageInitShape,
  type MessageShape,
  toBinary,
} from '@bufbuild/protobuf'
import type { MaybePromise } from '../../../base/maybePromise.ts'
import type { Header } from '../../../chain/block/header.ts'
import { headerNotFound } from '../../../chain/chainError.ts'
import type { BlockRef } from '../../../chain/port/blockRef.ts'
import type { Chain } from '../../../chain/port/chain.ts'
import type { StateView } from '../../../chain/port/state.ts'
import { decodeMessage } from '../../../cosmos/protobuf.ts'
import { invalidArgument } from './queryFault.ts'

/** What queries are answered from. */
export interface QuerySource {
  readonly chain: Chain
  /** Of this node, in wei. */
  readonly minimumGasPrice: bigint
}

/** Where and until when one query is answered. */
export interface QueryScene extends QuerySource {
  /** After the block of this height; never above the head. */
  readonly height: number
  /** Aborted when its time is up. */
  readonly signal: AbortSignal
}

/** Answers the bytes of a request with those of a response; throws `QueryFault` or `ChainError`. */
export type Query = (data: Uint8Array, scene: QueryScene) => MaybePromise<Uint8Array>

/** A module's queries by their paths. */
export type Queries = readonly (readonly [path: string, query: Query])[]

export const query =
  <Asked extends DescMessage, Answered extends DescMessage>(
    asked: Asked,
    answered: Answered,
    answer: (request: MessageShape<Asked>, scene: QueryScene) => MaybePromise<MessageInitShape<Answered>>,
  ): Query =>
  async (data, scene) => {
    const request = decodeMessage(asked, data)
    if (request === undefined) throw invalidArgument(`the request is no ${asked.typeName}`)
    return toBinary(answered, create(answered, await answer(request, scene)))
  }

export const under = (prefix: string, queries: Readonly<Record<string, Query>>): Queries =>
  Object.entries(queries).map(([name, answer]) => [`${prefix}/${name}`, answer])

export const refOf = (height: number): BlockRef => ({ kind: 'number', number: BigInt(height) })

export const stateOf = async ({ chain, height }: QueryScene): Promise<StateView> => chain.state(refOf(height))

export const headerOf = ({ chain, height }: QueryScene): Header => {
  const header = chain.blocks.header(height)
  if (header === undefined) throw headerNotFound()
  return header
}
