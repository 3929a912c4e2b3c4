import { create, type DescMessage, type MessageShape, toBinary } from '@bufbuild/protobuf'
import { decodeLargeMessage } from '../../../cosmos/protobuf.ts'
import { type NativeQueryClient, NativeQueryError } from '../../client/nativeQueryClient.ts'
import type { StateWitness } from '../../client/stateWitness.ts'

/** Thrown if a chain cannot be detected; the message says which setting to use. */
export class DetectionError extends Error {
  override readonly name = 'DetectionError'
}

/** A client that can check whether the states that it is asked for are kept. */
export interface StateWitnessing {
  witnessState(witness: StateWitness): void
}

/** The dependencies of the queries of detection. */
export interface DetectionContext {
  readonly queries: NativeQueryClient & Partial<StateWitnessing>
  readonly signal: AbortSignal
}

/** Returns the response of a query with an empty request; undefined if the chain has no such query. */
export const queryOptional = async <Request extends DescMessage, Response extends DescMessage>(
  { queries, signal }: DetectionContext,
  path: string,
  requestSchema: Request,
  responseSchema: Response,
  request?: MessageShape<Request>,
): Promise<MessageShape<Response> | undefined> => {
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
  const message = decodeLargeMessage(responseSchema, bytes)
  if (message === undefined)
    throw new DetectionError(`the node's answer to ${path} is no ${responseSchema.typeName}`)
  return message
}
