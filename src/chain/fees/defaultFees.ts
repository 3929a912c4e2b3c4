import type { MaybePromise } from '../../base/async/maybePromise.ts'
import { refused } from '../chainError.ts'
import type { TransactionRequest } from '../transaction/request.ts'

/** Returns a fee cap that covers twice the current base fee, enough for six full blocks in a row (as in geth). */
export const defaultFeeCap = (tip: bigint, baseFee: bigint): bigint => tip + 2n * baseFee

/** Returns the request with the fees that it leaves open set to the current ones, as geth fills them. */
export const fillFees = async (
  request: TransactionRequest,
  baseFee: bigint | undefined,
  suggestTip: () => MaybePromise<bigint>,
): Promise<TransactionRequest> => {
  const { gasPrice, maxFeePerGas, maxPriorityFeePerGas } = request
  if (maxFeePerGas !== undefined && maxPriorityFeePerGas !== undefined) {
    if (maxFeePerGas === 0n) throw refused('maxFeePerGas must be non-zero')
    return request
  }
  if (gasPrice !== undefined) {
    if (gasPrice === 0n && baseFee !== undefined) throw refused('gasPrice must be non-zero after london fork')
    return request
  }
  const tip = maxPriorityFeePerGas ?? (await suggestTip())
  if (baseFee === undefined) return { ...request, gasPrice: tip }
  const highest = maxFeePerGas ?? defaultFeeCap(tip, baseFee)
  return { ...request, maxFeePerGas: highest, maxPriorityFeePerGas: tip < highest ? tip : highest }
}
