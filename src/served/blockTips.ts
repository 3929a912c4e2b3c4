import { LRUCache } from 'lru-cache'
import { equalBytes } from '../base/encoding/bytes.ts'
import type { Header } from '../chain/block/header.ts'
import { type PaidTip, paidTips, type ReceiptFees } from '../chain/fees/tips.ts'
import type { BlockStoreReader } from '../store/blockStoreReader.ts'

/** The number of tips that are cached: a few tens of megabytes, however many transactions blocks have. */
const maxTips = 250_000
/** What a block costs beside its tips, in tips. */
const blockCost = 4

interface CachedTips {
  readonly hash: Uint8Array
  readonly tips: readonly PaidTip[]
}

/** Where tips are read from. */
type TipSource = Pick<BlockStoreReader, 'header' | 'blockHashAt' | 'receiptsJson'>

/** The tips of blocks, cheapest first. The receipts of a block are read once and cached. */
export class BlockTips {
  readonly #blocks: TipSource
  readonly #cache: LRUCache<number, CachedTips>

  constructor(blocks: TipSource, cachedTips = maxTips) {
    this.#blocks = blocks
    this.#cache = new LRUCache({
      maxSize: cachedTips,
      sizeCalculation: ({ tips }) => tips.length + blockCost,
    })
  }

  /** Returns the tips of a block; undefined if the block or its receipts are not kept. */
  tipsOfBlock(number: number): readonly PaidTip[] | undefined {
    const hash = this.#blocks.blockHashAt(number)
    const header = this.#blocks.header(number)
    if (hash === undefined || header === undefined) return undefined
    const cached = this.#cache.get(number)
    if (cached !== undefined && equalBytes(cached.hash, hash)) return cached.tips
    const text = this.#blocks.receiptsJson(number)
    if (text === undefined) return undefined
    const tips = parseTips(Buffer.from(text.buffer, text.byteOffset, text.length).toString(), header)
    this.#cache.set(number, { hash, tips })
    return tips
  }
}

/** Computes the tips from the JSON of a block's receipts. */
export const parseTips = (receiptsJson: string, { baseFeePerGas = 0n }: Header): readonly PaidTip[] => {
  const receipts = JSON.parse(receiptsJson) as readonly ReceiptFees[] // written by the store
  return paidTips(receipts, baseFeePerGas)
}
