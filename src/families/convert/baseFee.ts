import { maxUint64 } from '../../base/encoding/bytes.ts'
/** The parameters of the fee market. Decimal numbers are scaled by 10^18, in the denomination of the chain. */
export interface FeeMarketParams {
  readonly noBaseFee: boolean
  readonly changeDenominator: bigint
  readonly elasticity: bigint
  readonly enableHeight: bigint
  /** The `base_fee` parameter, which is the base fee of the block in whose state it was read. */
  readonly baseFee: bigint
  readonly minGasPrice: bigint
}

/** The parent block, from which the next base fee is computed. */
export interface FeeParent {
  readonly height: number
  /**
   * The base fee scaled by 10^18, in the chain's denomination: that of `fee_market`, not the integer of
   * `evm_fee_market`.
   */
  readonly decimalBaseFee: bigint
  /** The gas that the fee market counts (`block_gas`). */
  readonly blockGas: bigint
  /** The gas limit of the next block; -1 for no limit. */
  readonly maxGas: bigint
}

const decimalScale = 10n ** 18n

const max = (a: bigint, b: bigint): bigint => (a > b ? a : b)

/** The fees that the next one is computed from, all in the unit of the fee market. */
interface FeeScale {
  readonly fee: bigint
  readonly firstFee: bigint
  readonly minFee: bigint
  readonly minIncrease: bigint
}

/**
 * Computes the next base fee; the difference is rounded down by itself. Returns undefined if no base fee is charged.
 */
const computeBaseFee = (
  { height, blockGas, maxGas }: FeeParent,
  market: FeeMarketParams,
  { fee, firstFee, minFee, minIncrease }: FeeScale,
): bigint | undefined => {
  const next = BigInt(height) + 1n
  if (market.noBaseFee || next < market.enableHeight) return undefined
  if (next === market.enableHeight) return firstFee
  if (market.elasticity === 0n || market.changeDenominator === 0n) return undefined
  const target = (maxGas < 0n ? maxUint64 : maxGas) / market.elasticity
  if (blockGas === target) return fee
  if (target === 0n) return 0n
  const distance = blockGas > target ? blockGas - target : target - blockGas
  const change = (distance * fee) / target / market.changeDenominator
  return blockGas > target ? fee + max(change, minIncrease) : max(fee - change, minFee)
}

/**
 * Returns the base fee of the block after `parent`, scaled by 10^18 and in the chain's denomination, exactly as the fee
 * market module will compute it: with fractions, and from the gas that it counts. Returns undefined if it charges none.
 */
export const nextBaseFee = (
  parent: FeeParent,
  market: FeeMarketParams,
  decimals: number,
): bigint | undefined =>
  computeBaseFee(parent, market, {
    fee: parent.decimalBaseFee,
    firstFee: market.baseFee,
    minFee: market.minGasPrice,
    // One wei, which is a fraction of the chain's unit if that has fewer decimals.
    minIncrease: decimalScale / 10n ** BigInt(18 - decimals),
  })

/** Returns the same for a fee market that computes with integers. */
export const nextWholeBaseFee = (parent: FeeParent, market: FeeMarketParams): bigint | undefined =>
  computeBaseFee(parent, market, {
    fee: parent.decimalBaseFee / decimalScale,
    firstFee: market.baseFee / decimalScale,
    minFee: market.minGasPrice / decimalScale,
    minIncrease: 1n,
  })

/** Converts a decimal base fee to wei. */
export const toWei = (decimalBaseFee: bigint, decimals: number): bigint =>
  decimalBaseFee / 10n ** BigInt(decimals)
