import { NativeQueryError, type NativeQueryErrorKind } from './nativeQuery.ts'
import { hideAddresses, isLimit, isPanic, isRevert } from './refusals.ts'
import { CometError } from './replyEnvelope.ts'
import { GrpcError, TransportError } from './transportErrors.ts'

/** The suffixes that the Cosmos SDK adds to the text of a gRPC error that passed through `abci_query`. */
const wrappings = /: (?:unknown request|invalid request|key not found|unauthorized)$/
const prefix = /^(?:rpc error: code = [A-Za-z]+ desc = )+/
const codespace = /^codespace [a-z0-9_-]+ code [0-9]+: /

/** Returns the error text of a module without what transports add to it. */
export const stripErrorWrapping = (text: string): string => {
  const inner = text.replace(prefix, '')
  const unwrapped = inner === text ? inner : inner.replace(wrappings, '')
  return unwrapped.replace(codespace, '')
}

/**
 * Error texts of the Cosmos SDK and of CometBFT (conversion rules, 2.1 and 2.2), which may be anywhere in a message.
 */
const texts: readonly (readonly [RegExp, NativeQueryErrorKind])[] = [
  [/unknown query path|unknown service|unknown method|no custom querier|Method not found/, 'unknown path'],
  [/height in the future|must be less than or equal to the current blockchain height/, 'future height'],
  [/failed to load state at height|version does not exist|version mismatch on immutable IAVL/, 'pruned'],
  [/is not available, lowest height is|could not find results for height|has (?:not )?been pruned/, 'pruned'],
  [/(?:height|version) [0-9]+ (?:was|is) (?:pruned|not available)/, 'pruned'],
  [/results? (?:are |is )?not (?:found|persisted)|node is not persisting/i, 'pruned'],
  [/^height must be greater than 0/, 'pruned'],
]

const classifyErrorText = (text: string): NativeQueryErrorKind => {
  // A contract chooses what it reverts with.
  if (isRevert(text)) return 'refused'
  return texts.find(([pattern]) => pattern.test(text))?.[1] ?? (isPanic(text) ? 'unavailable' : 'refused')
}

const unimplemented = 12

/** Converts the log of an `abci_query` response whose code is not 0. */
export const toNativeQueryError = (log: string): NativeQueryError =>
  new NativeQueryError(classifyErrorText(log), toShownText(log))

const toShownText = (text: string): string => hideAddresses(stripErrorWrapping(text))

/** Converts any failure of a call to a `NativeQueryError`. An unknown error is returned as it is. */
export const toQueryError = (error: unknown): Error => {
  if (error instanceof GrpcError) {
    const kind = error.code === unimplemented ? 'unknown path' : classifyErrorText(error.message)
    return new NativeQueryError(kind, toShownText(error.message))
  }
  if (error instanceof CometError)
    return isLimit(error)
      ? new NativeQueryError('unavailable', toShownText(error.message))
      : toNativeQueryError(error.message)
  if (error instanceof TransportError) return new NativeQueryError('unavailable', error.message)
  return error instanceof Error ? error : new Error(String(error))
}
