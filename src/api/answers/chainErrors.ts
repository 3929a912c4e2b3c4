import { ProfilingError } from '../../base/profiling/profilingError.ts'
import { ThreadError } from '../../base/threads/threadRpc.ts'
import { ChainError, type ChainErrorKind, toThrownChainError } from '../../chain/chainError.ts'
import { RemoteError } from '../../chain/remoteError.ts'
import { KeystoreError, type KeystoreErrorKind } from '../../keystore/keystoreError.ts'
import {
  callFailed,
  invalidParams,
  limitExceeded,
  RpcError,
  unavailable,
  unsupported,
} from '../../rpc/errors.ts'

/** The functions that create the JSON-RPC error for each kind of chain error. */
const rpcErrorsByKind: Readonly<Record<ChainErrorKind, (message: string) => RpcError>> = {
  // Clients match on geth's message, so that it has no details.
  'header not found': () => callFailed('header not found'),
  'state pruned': unavailable,
  refused: callFailed,
  'limit exceeded': limitExceeded,
  unsupported,
  unavailable,
}

const keystoreErrorsByKind: Readonly<Record<KeystoreErrorKind, (message: string) => RpcError>> = {
  refused: callFailed,
  invalid: invalidParams,
  'limit exceeded': limitExceeded,
}

export const toRpcError = (error: unknown): RpcError | undefined => {
  if (error instanceof ChainError) return rpcErrorsByKind[error.kind](error.message)
  if (error instanceof RemoteError) return new RpcError(error.code, error.message, error.data)
  const thrown = toThrownChainError(error)
  if (thrown !== undefined) return rpcErrorsByKind[thrown.kind](thrown.message)
  if (error instanceof ThreadError && error.thrownName === 'LowSpaceError')
    return limitExceeded(error.message)
  // The owner of a dev chain may have replaced the code of a contract that each block calls.
  if (error instanceof ThreadError && error.thrownName === 'SystemCallError') return callFailed(error.message)
  if (error instanceof KeystoreError) return keystoreErrorsByKind[error.kind](error.message)
  return error instanceof ProfilingError ? callFailed(error.message) : undefined
}
