import type { BlockRef } from '../../chain/port/blockRef.ts'
import type { CallOutcome, CallRequest } from '../../chain/port/executor.ts'
import type { CallScope } from '../../rpc/method.ts'
import { traceFailedCall } from '../../solidity/traceFailure.ts'
import { toFailureError } from '../accounts/estimateGas.ts'
import type { ApiContext } from '../context.ts'
import { failedSendFor } from './clientRules.ts'
import { servesDevMethods } from './devSigner.ts'
import { hardhatError } from './hardhatError.ts'

export interface FailedRequest {
  readonly call: CallRequest
  readonly at: BlockRef
  readonly outcome: CallOutcome
}

/** Throws the error of a call or an estimate that failed: that of Hardhat's node to its tools, geth's to others. */
export const throwFailed = (
  context: ApiContext,
  { call, at, outcome }: FailedRequest,
  scope: Pick<CallScope, 'caller' | 'signal'>,
): Promise<never> => {
  const { chain, contracts } = context
  const isForHardhat = failedSendFor(scope.caller.userAgent) === 'error' && chain.dev !== undefined
  if (!isForHardhat || !servesDevMethods(context)) throw toFailureError(outcome)
  const { error, output } = outcome
  return traceFailedCall(context, call, at, scope.signal)
    .catch(() => undefined)
    .then((stack) => {
      throw hardhatError({ error, output, stack }, contracts)
    })
}
