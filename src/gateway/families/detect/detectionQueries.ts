import { create, type DescMessage, type MessageShape, toBinary } from '@bufbuild/protobuf'
import { decodeMessage } from '../../../cosmos/protobuf.ts'
import { type NativeQueries, NativeQueryError } from '../../client/nativeQueries.ts'

/** A chain that cannot be understood; the message says what to name by hand. */
export class DetectionError extends Error {
  override readonly name = 'DetectionError'
}

/** How the chain is asked at the start. */
export interface DetectionContext {
  readonly queries: NativeQueries
  readonly signal: AbortSignal
}

/** The answer to a query that needs nothing; undefined where the chain has no such query. */
export const queryOptional = async <Asked extends DescMessage, Answered extends DescMessage>(
  { queries, signal }: DetectionContext,
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
