import type { BlockRef } from '../../chain/port/blockRef.ts'
import type { Chain } from '../../chain/port/chain.ts'
import type { TransactionRequest } from '../../chain/transaction/request.ts'
import { callFailed } from '../../rpc/errors.ts'

/** The expected price of gas in the next block, in wei. */
export interface FeeSuggestion {
  readonly tip: bigint
  /**
   * The base fee of the newest block; undefined before London. On a dev chain it is that of the next block where that is
   * higher, or was set: a transaction at this price is mined, or nobody ever makes another block.
   */
  readonly baseFee: bigint | undefined
}

export const suggestFees = async (chain: Chain): Promise<FeeSuggestion> => ({
  tip: await chain.fees.suggestTip(),
  baseFee: await suggestBaseFee(chain),
})

const suggestBaseFee = async (chain: Chain): Promise<bigint | undefined> => {
  const { dev, blocks, fees } = chain
  const newest = blocks.header(chain.head().number)?.baseFeePerGas
  if (dev === undefined) return newest
  const next = await fees.nextBaseFee()
  const isSet = dev.nextBlock().baseFee !== undefined
  return next !== undefined && (isSet || newest === undefined || next > newest) ? next : newest
}

/** Returns a gas price for transactions without separate caps. */
export const legacyGasPrice = ({ tip, baseFee }: FeeSuggestion): bigint => tip + (baseFee ?? 0n)

/** Returns a fee cap that covers twice the current base fee, enough for six full blocks in a row (as in geth). */
export const defaultFeeCap = (tip: bigint, baseFee: bigint): bigint => tip + 2n * baseFee

/** Returns the request with the fees that it leaves open set to the current ones, as geth fills them. */
export const withDefaultFees = async (
  chain: Chain,
  request: TransactionRequest,
  block: BlockRef,
): Promise<TransactionRequest> => {
  const { gasPrice, maxFeePerGas, maxPriorityFeePerGas } = request
  const number = chain.blocks.resolve(block)
  const header = chain.blocks.header(typeof number === 'number' ? number : chain.head().number)
  const baseFee = header?.baseFeePerGas
  if (maxFeePerGas !== undefined && maxPriorityFeePerGas !== undefined) {
    if (maxFeePerGas === 0n) throw callFailed('maxFeePerGas must be non-zero')
    return request
  }
  if (gasPrice !== undefined) {
    if (gasPrice === 0n && baseFee !== undefined)
      throw callFailed('gasPrice must be non-zero after london fork')
    return request
  }
  const tip = maxPriorityFeePerGas ?? (await chain.fees.suggestTip())
  if (baseFee === undefined) return { ...request, gasPrice: tip }
  const highest = maxFeePerGas ?? defaultFeeCap(tip, baseFee)
  return { ...request, maxFeePerGas: highest, maxPriorityFeePerGas: tip < highest ? tip : highest }
}
