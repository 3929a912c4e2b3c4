import {
  create,
  type DescMessage,
  type MessageInitShape,
  type MessageShape,
  toBinary,
} from '@bufbuild/protobuf'
import { ChainError, type ChainErrorKind, pruned, unavailable, unsupported } from '../../chain/chainError.ts'
import { type NativeQueryClient, NativeQueryError } from '../../comet/data/nativeQuery.ts'
import { AnswerSchema, type Failure, type PlaceSchema } from '../../cosmos/gen/perihelion/v1/query_pb.ts'
import { decodeLargeMessage } from '../../cosmos/protobuf.ts'
import type { PerihelionQuery } from '../../cosmos/queries/perihelionQueries.ts'
import { noUpstreamError } from '../queries/chainErrors.ts'

/** The state that a query is about; undefined: the newest. */
export interface StateLocation {
  readonly block: number | undefined
  /** The index of the transaction in the block before which the state is. */
  readonly before?: number | undefined
}

export const toPlaceMessage = ({ block, before }: StateLocation): MessageInitShape<typeof PlaceSchema> => ({
  ...(block === undefined ? {} : { block: BigInt(block) }),
  ...(before === undefined ? {} : { before }),
})

/** Returns the height whose state is needed: for a state before a transaction it is that of the parent block. */
export const requiredHeight = ({ block, before }: StateLocation): number | undefined =>
  block === undefined || before === undefined ? block : block - 1

/**
 * Queries a Perihelion node. `height` is the state that the response needs, by which an upstream that keeps it is
 * found. CometBFT has no height for block 0, which is named in the request itself. `isWhole` tells whether what is within a
 * response can be read too.
 */
export const queryPerihelionNode = async <Request extends DescMessage, Response extends DescMessage>(
  queries: NativeQueryClient,
  { path, request: requestSchema, response: responseSchema }: PerihelionQuery<Request, Response>,
  request: MessageInitShape<Request>,
  height: number | undefined,
  signal: AbortSignal,
  isWhole: (response: MessageShape<Response>) => boolean = () => true,
): Promise<MessageShape<Response>> => {
  const isReadable = (bytes: Uint8Array): boolean => {
    const answer = decodeAnswer(responseSchema, bytes)
    return answer !== undefined && (answer.failure !== undefined || isWhole(answer.value))
  }
  const atHeight = height === undefined ? undefined : Math.max(height, 1)
  let bytes: Uint8Array
  try {
    bytes = await queries.query(
      path,
      toBinary(requestSchema, create(requestSchema, request)),
      atHeight,
      signal,
      isReadable,
    )
  } catch (error) {
    throw error instanceof NativeQueryError ? toChainError(error) : error
  }
  const answer = decodeAnswer(responseSchema, bytes)
  if (answer === undefined) throw unavailable(`the node gave no ${responseSchema.typeName} to ${path}`)
  if (answer.failure !== undefined) throw fromFailureMessage(answer.failure)
  return answer.value
}

type DecodedAnswer<Response extends DescMessage> =
  | { readonly value: MessageShape<Response>; readonly failure?: undefined }
  | { readonly failure: Failure }

/** Decodes the response of a node: a message, or why there is none. Undefined if it is neither. */
export const decodeAnswer = <Response extends DescMessage>(
  schema: Response,
  bytes: Uint8Array,
): DecodedAnswer<Response> | undefined => {
  const outcome = decodeLargeMessage(AnswerSchema, bytes)?.outcome
  if (outcome?.case === 'failure') return { failure: outcome.value }
  const value = outcome?.case === 'value' ? decodeLargeMessage(schema, outcome.value) : undefined
  return value && { value }
}

/** Returns whether a response never changes: one with an error may. */
export const isFinalResponse = (path: string, response: Uint8Array): boolean =>
  !path.startsWith('/perihelion.v1.Query/') ||
  decodeLargeMessage(AnswerSchema, response)?.outcome.case === 'value'

const kinds: ReadonlySet<string> = new Set<ChainErrorKind>([
  'header not found',
  'state pruned',
  'unsupported',
  'refused',
  'limit exceeded',
  'unavailable',
])

const fromFailureMessage = ({ kind, message }: Failure): ChainError =>
  kinds.has(kind)
    ? new ChainError(kind as ChainErrorKind, message) // one of the kinds, as checked above
    : unavailable(`the node rejected the request for an unknown reason: ${message}`)

/** Matches the message of the node within the text of the SDK. */
const prunedWords = /failed to load state at height \d+; (.*) \(latest height: \d+\)/

const toChainError = ({ kind, message }: NativeQueryError): ChainError => {
  switch (kind) {
    case 'pruned':
      return pruned(prunedWords.exec(message)?.[1] ?? message)
    case 'unknown path':
      return unsupported(`the node behind this gateway does not answer it: ${message}`)
    // Rejections by the chain are part of responses; the errors here are between the gateway and the node.
    case 'future height':
    case 'refused':
      return unavailable(message)
    case 'unavailable':
      return noUpstreamError(message)
  }
}
