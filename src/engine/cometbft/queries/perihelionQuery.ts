import {
  create,
  type DescMessage,
  type MessageInitShape,
  type MessageShape,
  toBinary,
} from '@bufbuild/protobuf'
import type { MaybePromise } from '../../../base/async/maybePromise.ts'
import { ChainError, headerNotFound } from '../../../chain/chainError.ts'
import type { StateView } from '../../../chain/port/state.ts'
import { AnswerSchema, type Place } from '../../../cosmos/gen/perihelion/v1/query_pb.ts'
import { decodeMessage } from '../../../cosmos/protobuf.ts'
import { CodecError } from '../../../cosmos/queries/codec.ts'
import type { PerihelionQuery } from '../../../cosmos/queries/perihelionQueries.ts'
import { maxResponseBytes, responseTooLargeError } from './boundedResponse.ts'
import { type QueryContext, type QueryHandlerFunction, toBlockRef } from './query.ts'
import { invalidArgumentError } from './queryError.ts'

/** Creates a query of the Perihelion family with its path. A chain error is part of the response. */
export const perihelionQuery = <Request extends DescMessage, Response extends DescMessage>(
  { path, request: requestSchema, response: responseSchema }: PerihelionQuery<Request, Response>,
  handle: (request: MessageShape<Request>, context: QueryContext) => MaybePromise<MessageInitShape<Response>>,
): readonly [path: string, query: QueryHandlerFunction] => [
  path,
  async (data, context) => {
    const request = decodeMessage(requestSchema, data)
    if (request === undefined) throw invalidArgumentError(`the request is not a ${requestSchema.typeName}`)
    try {
      const value = toBinary(responseSchema, create(responseSchema, await handle(request, context)))
      if (value.length > maxResponseBytes) throw responseTooLargeError(value.length)
      return toBinary(AnswerSchema, create(AnswerSchema, { outcome: { case: 'value', value } }))
    } catch (error) {
      if (error instanceof CodecError) throw invalidArgumentError(error.message)
      // Another node may still have the state, so this is reported as the SDK's error, which gateways look for.
      if (!(error instanceof ChainError) || error.kind === 'state pruned') throw error
      const { kind, message } = error
      return toBinary(
        AnswerSchema,
        create(AnswerSchema, { outcome: { case: 'failure', value: { kind, message } } }),
      )
    }
  },
]

/** Returns the number of the block that a request names; without one, the height of the query. */
export const resolveBlock = (location: Place | undefined, { chain, height }: QueryContext): number => {
  if (location?.block === undefined) return height
  const number = Number(location.block)
  if (number > chain.head().number) throw headerNotFound()
  return number
}

export const resolveState = (location: Place | undefined, context: QueryContext): MaybePromise<StateView> => {
  const number = resolveBlock(location, context)
  if (location?.before === undefined) return context.chain.state(toBlockRef(number))
  return context.chain.executor.stateBefore({ number, index: location.before }, context.signal)
}

export const requireLength = (bytes: Uint8Array, length: number, name: string): Uint8Array => {
  if (bytes.length !== length)
    throw invalidArgumentError(`${name} has ${bytes.length} bytes instead of ${length}`)
  return bytes
}
