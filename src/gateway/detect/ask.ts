import { create, type DescMessage, type MessageShape, toBinary } from '@bufbuild/protobuf'
import { AnswerSchema } from '../../cosmos/gen/perihelion/v1/query_pb.ts'
import { decodeMessage } from '../../cosmos/protobuf.ts'
import type { PerihelionQuery } from '../../cosmos/queries/perihelionQueries.ts'
import { type NativeQueries, NativeQueryError } from '../client/nativeQueries.ts'

/** A chain that cannot be understood; the message says what to name by hand. */
export class DetectionError extends Error {
  override readonly name = 'DetectionError'
}

/** Questions of the start. */
export interface Asking {
  readonly queries: NativeQueries
  readonly signal: AbortSignal
}

/** The answer to a query that needs nothing; undefined where the chain has no such query. */
export const ask = async <Asked extends DescMessage, Answered extends DescMessage>(
  { queries, signal }: Asking,
  path: string,
  asked: Asked,
  answered: Answered,
  request?: MessageShape<Asked>,
): Promise<MessageShape<Answered> | undefined> => {
  let bytes: Uint8Array
  try {
    bytes = await queries.query(path, toBinary(asked, request ?? create(asked)), undefined, signal)
  } catch (error) {
    if (error instanceof NativeQueryError && error.fault === 'unknown path') return undefined
    throw error
  }
  const message = decodeMessage(answered, bytes)
  if (message === undefined)
    throw new DetectionError(`the node's answer to ${path} is no ${answered.typeName}`)
  return message
}

/** What a node of our own answers. */
export const askOwnNode = async <Asked extends DescMessage, Answered extends DescMessage>(
  asking: Asking,
  { path, asked, answered }: PerihelionQuery<Asked, Answered>,
): Promise<MessageShape<Answered>> => {
  const outcome = (await ask(asking, path, asked, AnswerSchema))?.outcome
  const message = outcome?.case === 'value' ? decodeMessage(answered, outcome.value) : undefined
  if (message === undefined) throw new DetectionError(`the node gave no ${answered.typeName} to ${path}`)
  return message
}
