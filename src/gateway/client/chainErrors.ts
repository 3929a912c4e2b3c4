import { ChainError, type ChainErrorKind, statePrunedError, unsupported } from '../../chain/chainError.ts'
import { NativeQueryError, type NativeQueryErrorKind } from './nativeQueryClient.ts'
import { stripErrorWrapping } from './queryErrors.ts'

const kinds: Readonly<Record<NativeQueryErrorKind, ChainErrorKind>> = {
  'unknown path': 'unsupported',
  pruned: 'state pruned',
  'future height': 'unavailable',
  refused: 'refused',
  unavailable: 'unavailable',
}

/** Converts an error of an upstream to a `ChainError`; any other error is returned as it is. */
export const toChainError = (error: unknown, height: number, earliest: number): unknown => {
  if (!(error instanceof NativeQueryError)) return error
  if (error.kind === 'pruned') return statePrunedError(height, earliest)
  if (error.kind === 'unknown path')
    return unsupported(`the chain behind this gateway has no such query: ${error.message}`)
  return new ChainError(kinds[error.kind], stripErrorWrapping(error.message))
}
