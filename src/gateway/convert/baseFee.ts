/** Parameters of the fee market. Decimal numbers are times 10^18, in the chain's own unit. */
export interface FeeMarket {
  readonly noBaseFee: boolean
  readonly changeDenominator: bigint
  readonly elasticity: bigint
  readonly enableHeight: bigint
  /** The parameter itself, which is the base fee of the block in whose state it was read. */
  readonly baseFee: bigint
  readonly minGasPrice: bigint
}

/** The block that the next one's fee follows from. */
export interface FeeParent {
  readonly height: number
  /** Times 10^18, in the chain's own unit: `fee_market`, not the whole number of `evm_fee_market`. */
  readonly decimalBaseFee: bigint
  /** `block_gas`. */
  readonly blockGas: bigint
  /** That holds for the next block: -1 for no limit. */
  readonly maxGas: bigint
}

const one = 10n ** 18n
const maxUint64 = (1n << 64n) - 1n

const larger = (a: bigint, b: bigint): bigint => (a > b ? a : b)

/** In which numbers a fee market counts: all fees in one unit, with the least step upwards. */
interface FeeScale {
  readonly fee: bigint
  readonly firstFee: bigint
  readonly leastFee: bigint
  readonly leastRise: bigint
}

/** What is added or taken off is rounded down by itself. Undefined where no base fee is charged. */
const feeAfter = (
  { height, blockGas, maxGas }: FeeParent,
  market: FeeMarket,
  { fee, firstFee, leastFee, leastRise }: FeeScale,
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
  return blockGas > target ? fee + larger(change, leastRise) : larger(fee - change, leastFee)
}

/**
 * The base fee of the block after `parent`, times 10^18 and in the chain's own unit, as the fee market's module will
 * work it out: with fractions, and from the gas that it counts. Undefined where it charges none.
 */
export const nextBaseFee = (parent: FeeParent, market: FeeMarket, decimals: number): bigint | undefined =>
  feeAfter(parent, market, {
    fee: parent.decimalBaseFee,
    firstFee: market.baseFee,
    leastFee: market.minGasPrice,
    // A smallest unit of the EVM, which is a fraction of the chain's own.
    leastRise: one / 10n ** BigInt(18 - decimals),
  })

/** The same for a fee market that counts in whole units. */
export const nextWholeBaseFee = (parent: FeeParent, market: FeeMarket): bigint | undefined =>
  feeAfter(parent, market, {
    fee: parent.decimalBaseFee / one,
    firstFee: market.baseFee / one,
    leastFee: market.minGasPrice / one,
    leastRise: 1n,
  })

/** A decimal base fee as the EVM sees it, in wei. */
export const toWei = (decimalBaseFee: bigint, decimals: number): bigint =>
  decimalBaseFee / 10n ** BigInt(decimals)
