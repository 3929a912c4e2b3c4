import { ProfilingError } from '../base/profiling/profilingError.ts'
import { ChainError, type ChainErrorKind } from '../chain/chainError.ts'
import { failed, limitExceeded, type RpcError, unavailable, unsupported } from '../rpc/errors.ts'

/** The one place where what went wrong behind the methods becomes an error on the wire. */
const answers: Readonly<Record<ChainErrorKind, (message: string) => RpcError>> = {
  // Clients match on geth's words, whatever else is known about it.
  'header not found': () => failed('header not found'),
  'state pruned': unavailable,
  refused: failed,
  'limit exceeded': limitExceeded,
  unsupported,
  unavailable,
}

export const explainChainError = (error: unknown): RpcError | undefined => {
  if (error instanceof ChainError) return answers[error.kind](error.message)
  return error instanceof ProfilingError ? failed(error.message) : undefined
}
