import {
  create,
  type DescMessage,
  type MessageInitShape,
  type MessageShape,
  toBinary,
} from '@bufbuild/protobuf'
import type { MaybePromise } from '../../../base/maybePromise.ts'
import { ChainError, headerNotFound } from '../../../chain/chainError.ts'
import type { StateView } from '../../../chain/port/state.ts'
import { AnswerSchema, type Place } from '../../../cosmos/gen/perihelion/v1/query_pb.ts'
import { decodeMessage } from '../../../cosmos/protobuf.ts'
import { CodecError } from '../../../cosmos/queries/codec.ts'
import type { PerihelionQuery } from '../../../cosmos/queries/perihelionQueries.ts'
import { maxAnswerBytes, tooLarge } from './boundedText.ts'
import { type Query, type QueryScene, refOf } from './query.ts'
import { invalidArgument } from './queryFault.ts'

/** A query of our own with its path: what the chain refuses is part of the answer. */
export const answerOwn = <Asked extends DescMessage, Answered extends DescMessage>(
  { path, asked, answered }: PerihelionQuery<Asked, Answered>,
  answer: (request: MessageShape<Asked>, scene: QueryScene) => MaybePromise<MessageInitShape<Answered>>,
): readonly [path: string, query: Query] => [
  path,
  async (data, scene) => {
    const request = decodeMessage(asked, data)
    if (request === undefined) throw invalidArgument(`the request is no ${asked.typeName}`)
    try {
      const value = toBinary(answered, create(answered, await answer(request, scene)))
      if (value.length > maxAnswerBytes) throw tooLarge(value.length)
      return toBinary(AnswerSchema, create(AnswerSchema, { outcome: { case: 'value', value } }))
    } catch (error) {
      if (error instanceof CodecError) throw invalidArgument(error.message)
      // Another node may keep it: that is told in the words of the SDK, which gateways look for.
      if (!(error instanceof ChainError) || error.kind === 'state pruned') throw error
      const { kind, message } = error
      return toBinary(
        AnswerSchema,
        create(AnswerSchema, { outcome: { case: 'failure', value: { kind, message } } }),
      )
    }
  },
]

/** The block that a question is about. */
export const blockOf = (place: Place | undefined, { chain, height }: QueryScene): number => {
  if (place?.block === undefined) return height
  const number = Number(place.block)
  if (number > chain.head().number) throw headerNotFound()
  return number
}

export const stateAt = (place: Place | undefined, scene: QueryScene): MaybePromise<StateView> => {
  const number = blockOf(place, scene)
  if (place?.before === undefined) return scene.chain.state(refOf(number))
  return scene.chain.executor.stateBefore({ number, index: place.before }, scene.signal)
}

export const ofLength = (bytes: Uint8Array, length: number, name: string): Uint8Array => {
  if (bytes.length !== length) throw invalidArgument(`${name} has ${bytes.length} bytes instead of ${length}`)
  return bytes
}
