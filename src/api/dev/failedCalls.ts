import type { BlockRef } from '../../chain/port/blockRef.ts'
import type { CallOutcome, CallRequest } from '../../chain/port/executor.ts'
import { RpcError } from '../../rpc/errors.ts'
import type { CallScope } from '../../rpc/method.ts'
import { stackTraceLines } from '../../solidity/printTrace.ts'
import { traceFailedCall } from '../../solidity/traceFailure.ts'
import { toFailureError } from '../accounts/estimateGas.ts'
import type { ApiContext } from '../context.ts'
import { failedSendFor } from './clientRules.ts'
import { servesDevMethods } from './devSigner.ts'

export interface FailedRequest {
  readonly call: CallRequest
  readonly at: BlockRef
  readonly outcome: CallOutcome
}

/**
 * Throws the error of a call that failed. Hardhat's tools read the data of a revert in an object too: where the contracts are
 * known they get one, with the stack in the source.
 */
export const throwFailed = (
  context: ApiContext,
  { call, at, outcome }: FailedRequest,
  scope: Pick<CallScope, 'caller' | 'signal'>,
): Promise<never> => {
  const error = toFailureError(outcome)
  const { chain, contracts } = context
  const isTraced = failedSendFor(scope.caller.userAgent) === 'error' && chain.dev !== undefined
  if (!isTraced || contracts.isEmpty || !servesDevMethods(context)) throw error
  return traceFailedCall(context, call, at, scope.signal)
    .catch(() => undefined)
    .then((trace) => {
      if (trace === undefined) throw error
      const { code, message, data } = error
      throw new RpcError(code, message, { message, data: data ?? '0x', stackTrace: stackTraceLines(trace) })
    })
}
