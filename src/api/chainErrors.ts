import { ProfilingError } from '../base/profiling/profilingError.ts'
import { ChainError, type ChainErrorKind } from '../chain/chainError.ts'
import { KeystoreError, type KeystoreErrorKind } from '../keystore/keystoreError.ts'
import {
  failed,
  invalidParams,
  limitExceeded,
  type RpcError,
  unavailable,
  unsupported,
} from '../rpc/errors.ts'

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

const keyAnswers: Readonly<Record<KeystoreErrorKind, (message: string) => RpcError>> = {
  refused: failed,
  invalid: invalidParams,
  'limit exceeded': limitExceeded,
}

export const explainChainError = (error: unknown): RpcError | undefined => {
  if (error instanceof ChainError) return answers[error.kind](error.message)
  if (error instanceof KeystoreError) return keyAnswers[error.kind](error.message)
  return error instanceof ProfilingError ? failed(error.message) : undefined
}
