import { ChainError, type ChainErrorKind } from '../../chain/chainError.ts'
import { NativeQueryError, type NativeQueryFault } from './nativeQueries.ts'
import { cleanMessage } from './queryFaults.ts'

const kinds: Readonly<Record<NativeQueryFault, ChainErrorKind>> = {
  'unknown path': 'unsupported',
  pruned: 'state pruned',
  'future height': 'unavailable',
  refused: 'refused',
  unavailable: 'unavailable',
}

/** The state of a height is not kept by any node behind the gateway. */
export const statePruned = (height: number, earliest: number): ChainError =>
  new ChainError('state pruned', `the state of block ${height} is not kept: ${earliest} is the earliest`)

/** An upstream's fault as the port has it; anything else as it is. */
export const explainFault = (error: unknown, height: number, earliest: number): unknown => {
  if (!(error instanceof NativeQueryError)) return error
  if (error.fault === 'pruned') return statePruned(height, earliest)
  if (error.fault === 'unknown path')
    return new ChainError('unsupported', `the chain behind this gateway has no such query: ${error.message}`)
  return new ChainError(kinds[error.fault], cleanMessage(error.message))
}
