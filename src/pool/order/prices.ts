import type { PoolTransaction } from '../types.ts'

/** What a transaction must pay to be in a block. */
export interface BlockPrices {
  readonly baseFee: bigint
  /** Zero before Cancun. */
  readonly blobBaseFee: bigint
  /** The least tip that the producer of the block takes. */
  readonly minTip: bigint
}

/** Returns the proposer's income for each gas; negative if the transaction cannot pay the base fee. */
export const effectiveTip = ({ feeCap, tipCap }: PoolTransaction, baseFee: bigint): bigint => {
  const rest = feeCap - baseFee
  return rest < tipCap ? rest : tipCap
}

/** Returns the tip of a transaction in a block of these prices; undefined if it does not pay them. */
export const payableTip = (
  tx: PoolTransaction,
  { baseFee, blobBaseFee, minTip }: BlockPrices,
): bigint | undefined => {
  const { transaction } = tx
  if (transaction.type === 3 && transaction.maxFeePerBlobGas < blobBaseFee) return undefined
  const tip = effectiveTip(tx, baseFee)
  return tip < minTip || tip < 0n ? undefined : tip
}
