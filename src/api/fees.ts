import type { BlockRef } from '../chain/port/blockRef.ts'
import type { Chain } from '../chain/port/chain.ts'
import type { TransactionRequest } from '../chain/transaction/request.ts'
import { failed } from '../rpc/errors.ts'

/** What gas is likely to cost in the next block, in wei. */
export interface FeeSuggestion {
  readonly tip: bigint
  /** Of the newest block; undefined before London. */
  readonly baseFee: bigint | undefined
}

export const suggestFees = async (chain: Chain): Promise<FeeSuggestion> => ({
  tip: await chain.fees.suggestTip(),
  baseFee: chain.blocks.header(chain.head().number)?.baseFeePerGas,
})

/** A price for transactions that name only one. */
export const singlePrice = ({ tip, baseFee }: FeeSuggestion): bigint => tip + (baseFee ?? 0n)

/** Good for a base fee of twice today's: six full blocks in a row (geth's choice). */
export const highestFee = (tip: bigint, baseFee: bigint): bigint => tip + 2n * baseFee

/** A request to run as its sender would pay for it: fees that it leaves open are those usual now (as geth fills them). */
export const withUsualFees = async (
  chain: Chain,
  request: TransactionRequest,
  block: BlockRef,
): Promise<TransactionRequest> => {
  const { gasPrice, maxFeePerGas, maxPriorityFeePerGas } = request
  const number = chain.blocks.resolve(block)
  const header = chain.blocks.header(typeof number === 'number' ? number : chain.head().number)
  const baseFee = header?.baseFeePerGas
  if (maxFeePerGas !== undefined && maxPriorityFeePerGas !== undefined) {
    if (maxFeePerGas === 0n) throw failed('maxFeePerGas must be non-zero')
    return request
  }
  if (gasPrice !== undefined) {
    if (gasPrice === 0n && baseFee !== undefined) throw failed('gasPrice must be non-zero after london fork')
    return request
  }
  const tip = maxPriorityFeePerGas ?? (await chain.fees.suggestTip())
  if (baseFee === undefined) return { ...request, gasPrice: tip }
  const highest = maxFeePerGas ?? highestFee(tip, baseFee)
  return { ...request, maxFeePerGas: highest, maxPriorityFeePerGas: tip < highest ? tip : highest }
}
