import { create, type DescMessage, type MessageShape, toBinary } from '@bufbuild/protobuf'
import { decodeMessage } from '../../../cosmos/protobuf.ts'
import { type NativeQueryClient, NativeQueryError } from '../../client/nativeQueryClient.ts'

/** A chain that cannot be understood; the message says what to name by hand. */
export class DetectionError extends Error {
  override readonly name = 'DetectionError'
}

/** How the chain is asked at the start. */
export interface DetectionContext {
  readonly queries: NativeQueryClient
  readonly signal: AbortSignal
}

/** The answer to a query that needs nothing; undefined where the chain has no such query. */
export const queryOptional = async <Asked extends DescMessage, Answered extends DescMessage>(
  { queries, signal }: DetectionContext,
  path: string,
  requestSchema: Asked,
  responseSchema: Answered,
  request?: MessageShape<Asked>,
): Promise<MessageShape<Answered> | undefined> => {
  let bytes: Uint8Array
  try {
    bytes = await queries.query(
      path,
      toBinary(requestSchema, request ?? create(requestSchema)),
      undefined,
      signal,
    )
  } catch (error) {
    if (error instanceof NativeQueryError && error.kind === 'unknown path') return undefined
    throw error
  }
  const message = decodeMessage(responseSchema, bytes)
  if (message === undefined)
    throw new DetectionError(`the node's answer to ${path} is no ${responseSchema.typeName}`)
  return message
}
