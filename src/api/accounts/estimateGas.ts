import type { MaybePromise } from '../../base/async/maybePromise.ts'
import { toHex } from '../../base/encoding/hex.ts'
import { revertReason } from '../../chain/abi/revertReason.ts'
import type { BlockRef } from '../../chain/port/blockRef.ts'
import type { Chain } from '../../chain/port/chain.ts'
import type { CallOutcome, CallRequest, CallWaiter } from '../../chain/port/executor.ts'
import { callFailed, errorCodes, RpcError } from '../../rpc/errors.ts'
import { mapMaybePromise } from '../answers/lookup.ts'

const revertError = (output: Uint8Array): RpcError => {
  const reason = revertReason(output)
  const message = reason === undefined ? 'execution reverted' : `execution reverted: ${reason}`
  return new RpcError(errorCodes.reverted, message, toHex(output))
}

/** Returns the error of a call that failed: that of a revert has its data. */
export const toFailureError = ({ isRevert, error, output }: CallOutcome): RpcError =>
  isRevert ? revertError(output) : callFailed(error ?? 'execution failed')

/** Returns the least gas with which the transaction succeeds; throws if it fails with any amount. */
export const estimateGas = (
  { executor }: Chain,
  request: CallRequest,
  block: BlockRef,
  waiter: CallWaiter,
): MaybePromise<bigint> =>
  mapMaybePromise(executor.estimateGas(request, block, waiter), (outcome) => {
    if (outcome.failure !== undefined) throw toFailureError(outcome.failure)
    return outcome.gas
  })
