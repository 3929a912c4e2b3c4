import { toNumber, toQuantity } from '../format/numbers.ts'
import type { Block } from '../rpc/types.ts'

/** What the live view and the charts keep of a block. */
export interface BlockSummary {
  readonly number: number
  readonly hash: string
  readonly parentHash: string
  readonly time: number
  readonly gasUsed: number
  readonly gasLimit: number
  readonly baseFee: bigint
  readonly miner: `0x${string}`
  readonly transactions: number
  readonly firstHashes: readonly `0x${string}`[]
}

/** Hashes of a block's transactions that the live view shows. */
const shownHashes = 20

export const summarize = (block: Block): BlockSummary => ({
  number: toNumber(block.number),
  hash: block.hash,
  parentHash: block.parentHash,
  time: toNumber(block.timestamp),
  gasUsed: toNumber(block.gasUsed),
  gasLimit: toNumber(block.gasLimit),
  baseFee: BigInt(block.baseFeePerGas ?? 0),
  miner: block.miner,
  transactions: block.transactions.length,
  firstHashes: block.transactions.slice(0, shownHashes),
})

export interface BlockSource {
  blocks(numbers: readonly `0x${string}`[]): Promise<readonly (Block | null)[]>
}

/** The most blocks that are kept, and the most that are fetched at a time. */
export const maxKept = 1200
const piece = 50

/**
 * The newest blocks without a gap, the oldest first. Whatever was missed (a connection that broke, a tab that was hidden)
 * is fetched before newer blocks are shown, and a block that another one replaced is dropped.
 */
export class RecentBlocks {
  readonly #source: BlockSource
  readonly #onChange: (blocks: readonly BlockSummary[]) => void
  #blocks: readonly BlockSummary[] = []
  #target = -1
  #running: Promise<void> | undefined

  constructor(source: BlockSource, onChange: (blocks: readonly BlockSummary[]) => void) {
    this.#source = source
    this.#onChange = onChange
  }

  get newest(): BlockSummary | undefined {
    return this.#blocks.at(-1)
  }

  /** Follows the chain up to a head that was announced. A head below what is known means that the chain went back. */
  advance(number: number, hash?: string): Promise<void> {
    const known = this.#blocks.find((block) => block.number === number)
    if (known !== undefined && hash !== undefined && known.hash !== hash) this.#dropFrom(number)
    else if (known !== undefined && hash === undefined) this.#dropFrom(number + 1)
    else if (this.newest !== undefined && number < (this.#blocks[0]?.number ?? 0)) this.#dropFrom(0)
    this.#target = number
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined
    })
    return this.#running
  }

  /** Fetches blocks before the oldest one, for the charts. Returns false if there are no more. */
  async extend(notBefore: number): Promise<boolean> {
    const oldest = this.#blocks[0]
    if (oldest === undefined || oldest.number === 0 || this.#blocks.length >= maxKept) return false
    if (oldest.time < notBefore) return false
    const older = await this.#fetch(Math.max(0, oldest.number - piece), oldest.number - 1)
    if (older.length === 0 || this.#blocks[0] !== oldest) return false
    this.#set([...older, ...this.#blocks])
    return true
  }

  async #run(): Promise<void> {
    while ((this.newest?.number ?? -1) < this.#target) {
      const target = this.#target
      const from = Math.max((this.newest?.number ?? target - piece) + 1, target - maxKept + 1, 0)
      if (this.newest !== undefined && from > this.newest.number + 1) this.#blocks = []
      const found = await this.#fetch(from, Math.min(target, from + piece - 1))
      const [first] = found
      // The chain went back meanwhile: what is announced next tells how far.
      if (first === undefined) return
      if (this.newest !== undefined && first.parentHash !== this.newest.hash)
        this.#dropFrom(this.newest.number)
      else this.#set([...this.#blocks, ...found])
    }
  }

  /** Returns the blocks of a range, as far as they follow one another. */
  async #fetch(from: number, to: number): Promise<readonly BlockSummary[]> {
    const numbers = Array.from({ length: to - from + 1 }, (_, index) => toQuantity(from + index))
    const found: BlockSummary[] = []
    for (const block of await this.#source.blocks(numbers)) {
      if (block === null) break
      const summary = summarize(block)
      const before = found.at(-1)
      if (before !== undefined && before.hash !== summary.parentHash) break
      found.push(summary)
    }
    return found
  }

  #dropFrom(number: number): void {
    this.#set(this.#blocks.filter((block) => block.number < number))
  }

  #set(blocks: readonly BlockSummary[]): void {
    this.#blocks = blocks.slice(-maxKept)
    this.#onChange(this.#blocks)
  }
}
