import { LRUCache } from 'lru-cache'
import { equalBytes } from '../base/bytes.ts'
import type { Header } from '../chain/block/header.ts'
import type { BlockStoreReader } from '../store/blockStoreReader.ts'

/** What one transaction paid beyond the base fee, and for how much gas. */
export interface PaidTip {
  readonly tip: bigint
  readonly gasUsed: bigint
}

/** The two members of a stored receipt that fees are about. */
interface ReceiptFees {
  readonly gasUsed: string
  readonly effectiveGasPrice: string
}

/** Blocks whose tips are kept: more than one history may ask for. */
const cacheSize = 2048

/** The tips of blocks, cheapest first. A block's receipts are read once. */
export class BlockTips {
  readonly #blocks: BlockStoreReader
  readonly #known = new LRUCache<number, { readonly hash: Uint8Array; readonly tips: readonly PaidTip[] }>({
    max: cacheSize,
  })

  constructor(blocks: BlockStoreReader) {
    this.#blocks = blocks
  }

  /** Undefined where the block or its receipts are not kept. */
  tipsOfBlock(number: number): readonly PaidTip[] | undefined {
    const hash = this.#blocks.blockHashAt(number)
    const header = this.#blocks.header(number)
    if (hash === undefined || header === undefined) return undefined
    const known = this.#known.get(number)
    if (known !== undefined && equalBytes(known.hash, hash)) return known.tips
    const text = this.#blocks.receiptsJson(number)
    if (text === undefined) return undefined
    const tips = parseTips(Buffer.from(text.buffer, text.byteOffset, text.length).toString(), header)
    this.#known.set(number, { hash, tips })
    return tips
  }
}

/** From the JSON of a block's receipts. */
export const parseTips = (receiptsJson: string, { baseFeePerGas = 0n }: Header): readonly PaidTip[] => {
  const receipts = JSON.parse(receiptsJson) as readonly ReceiptFees[] // written by our own encoder
  return receipts
    .map(({ gasUsed, effectiveGasPrice }) => ({
      tip: BigInt(effectiveGasPrice) - baseFeePerGas,
      gasUsed: BigInt(gasUsed),
    }))
    .sort((a, b) => (a.tip < b.tip ? -1 : a.tip > b.tip ? 1 : 0))
}

/**
 * The tips at the percentiles of a block's gas (geth's rule): the tip of the transaction with which the gas of all
 * cheaper ones reaches the share.
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
