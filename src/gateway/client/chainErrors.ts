import { ChainError, type ChainErrorKind, statePruned, unsupported } from '../../chain/chainError.ts'
import { NativeQueryError, type NativeQueryFault } from './nativeQueries.ts'
import { cleanMessage } from './queryFaults.ts'

const kinds: Readonly<Record<NativeQueryFault, ChainErrorKind>> = {
  'unknown path': 'unsupported',
  pruned: 'state pruned',
  'future height': 'unavailable',
  refused: 'refused',
  unavailable: 'unavailable',
}

/** An upstream's fault as the port has it; anything else as it is. */
export const explainFault = (error: unknown, height: number, earliest: number): unknown => {
  if (!(error instanceof NativeQueryError)) return error
  if (error.fault === 'pruned') return statePruned(height, earliest)
  if (error.fault === 'unknown path')
    return unsupported(`the chain behind this gateway has no such query: ${error.message}`)
  return new ChainError(kinds[error.fault], cleanMessage(error.message))
}
