import type { Chain } from '../chain/port.ts'

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
