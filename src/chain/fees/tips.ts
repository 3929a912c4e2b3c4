/** The tip that one transaction paid per gas, and the gas that it used. */
export interface PaidTip {
  readonly tip: bigint
  readonly gasUsed: bigint
}

/** The two members of a receipt that tips are computed from. */
export interface ReceiptFees {
  readonly gasUsed: string
  readonly effectiveGasPrice: string
}

/** Returns the tips of a block's receipts, the cheapest first. */
export const paidTips = (receipts: readonly ReceiptFees[], baseFee: bigint): readonly PaidTip[] =>
  receipts
    .map(({ gasUsed, effectiveGasPrice }) => ({
      tip: BigInt(effectiveGasPrice) - baseFee,
      gasUsed: BigInt(gasUsed),
    }))
    .sort((a, b) => (a.tip < b.tip ? -1 : a.tip > b.tip ? 1 : 0))

/**
 * Returns the tips at percentiles of a block's gas, by geth's rule: the tip of the transaction at which the sum of the
 * gas of all cheaper ones reaches the percentile.
 */
export const tipPercentiles = (
  tips: readonly PaidTip[],
  gasUsed: bigint,
  percentiles: readonly number[],
): readonly bigint[] => {
  if (tips.length === 0) return percentiles.map(() => 0n)
  let index = 0
  let sum = (tips[0] as PaidTip).gasUsed
  return percentiles.map((percentile) => {
    const threshold = BigInt(Math.trunc((Number(gasUsed) * percentile) / 100))
    while (sum < threshold && index < tips.length - 1) {
      index++
      sum += (tips[index] as PaidTip).gasUsed
    }
    return (tips[index] as PaidTip).tip
  })
}

/**
 * The parameters of geth's oracle: it takes the three lowest tips of each of the last twenty blocks, and of all these
 * the 60th percentile.
 */
const blocksSampled = 20
const tipsSampled = 3
const percentileTaken = 60
/** Tips below this value, in wei, are ignored, as in geth. */
const ignoredTip = 2n
const maxTip = 500_000_000_000n

/** The most blocks that a sample takes. */
export const maxBlocksSampled = 2 * blocksSampled

/**
 * The tips of the newest blocks, from the newest down. A block without tips counts with the default one, and not with what was
 * suggested last as in geth: all processes of a node must answer alike, and nothing may outlive the blocks it came from.
 */
export class TipSample {
  readonly #default: bigint
  readonly #sampled: bigint[] = []
  #left = blocksSampled
  #more = blocksSampled

  constructor(defaultTip: bigint) {
    this.#default = defaultTip
  }

  get isFull(): boolean {
    return this.#left <= 0
  }

  /** Adds the tips of the next block. */
  add(paid: readonly PaidTip[]): void {
    this.#left--
    const tips = paid.filter(({ tip }) => tip >= ignoredTip).slice(0, tipsSampled)
    // A block with at most one tip says little, so one more block is sampled.
    if (tips.length <= 1 && this.#more-- > 0) this.#left++
    if (tips.length > 0) this.#sampled.push(...tips.map(({ tip }) => tip))
    else this.#sampled.push(this.#default)
  }

  get tip(): bigint {
    if (this.#sampled.length === 0) return this.#default
    const sorted = this.#sampled.toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0))
    const tip = sorted[Math.floor(((sorted.length - 1) * percentileTaken) / 100)] as bigint
    return tip < maxTip ? tip : maxTip
  }
}
