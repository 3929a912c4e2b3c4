import { fillFees } from '../../chain/fees/defaultFees.ts'
import type { BlockRef } from '../../chain/port/blockRef.ts'
import type { Chain } from '../../chain/port/chain.ts'
import type { TransactionRequest } from '../../chain/transaction/request.ts'

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

/** Returns the request with the fees that it leaves open set to the current ones, as geth fills them. */
export const withDefaultFees = async (
  chain: Chain,
  request: TransactionRequest,
  block: BlockRef,
): Promise<TransactionRequest> => {
  const number = chain.blocks.resolve(block)
  const header = chain.blocks.header(typeof number === 'number' ? number : chain.head().number)
  return fillFees(request, header?.baseFeePerGas, () => chain.fees.suggestTip())
}
