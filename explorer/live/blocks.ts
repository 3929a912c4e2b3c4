import { toBig, toNumber, toQuantity } from '../format/numbers.ts'
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
  baseFee: toBig(block.baseFeePerGas),
  miner: block.miner,
  transactions: block.transactions.length,
  firstHashes: block.transactions.slice(0, shownHashes),
})

export interface Head {
  readonly number: number
  readonly hash: string
}

export interface BlockSource {
  newest(): Promise<Head>
  blocks(numbers: readonly `0x${string}`[]): Promise<readonly (Block | null)[]>
}

const isBlockNumber = (number: number): boolean => Number.isSafeInteger(number) && number >= 0

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
  readonly #onReplaced: () => void
  #isReplaced = false
  #blocks: readonly BlockSummary[] = []
  #target = -1
  #running: Promise<void> | undefined
  #isDoubtful = false
  #asking: Promise<void> | undefined
  /** Counts how often the chain went back: blocks that were on their way then may be of no chain. */
  #returns = 0
  /** Counts requests and announcements, which tells the older of two. */
  #moment = 0
  /** The moment of the newest announcement or of the newest request that was answered. */
  #knownAt = 0

  /** `onReplaced` hears when blocks that were shown are no longer of the chain: it went back, or is another one. */
  constructor(
    source: BlockSource,
    onChange: (blocks: readonly BlockSummary[]) => void,
    onReplaced: () => void = () => {},
  ) {
    this.#source = source
    this.#onChange = onChange
    this.#onReplaced = onReplaced
  }

  get newest(): BlockSummary | undefined {
    return this.#blocks.at(-1)
  }

  /**
   * Follows the chain up to a head that was announced. One below what is known came late, or the chain went back to it: only
   * the node can tell which.
   */
  async announce(number: number, hash: string): Promise<void> {
    if (!isBlockNumber(number)) return
    this.#knownAt = ++this.#moment
    const isDoubtful = number < this.#highest
    if (this.#isReplacedBy(number, hash)) this.#goBack(number)
    await Promise.all([this.#follow(number), isDoubtful && this.#ask()])
  }

  /**
   * Asks where the chain is, which is how what was missed is found. A head below what is known means that the chain went
   * back, but only in a response to a request that is younger than what is known.
   */
  async catchUp(): Promise<void> {
    const moment = ++this.#moment
    const { number, hash } = await this.#source.newest()
    if (moment < this.#knownAt || !isBlockNumber(number)) return
    this.#knownAt = moment
    if (this.#isReplacedBy(number, hash)) this.#goBack(number)
    else if (number < this.#highest) this.#goBack(number + 1)
    await this.#follow(number)
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

  /** Asks where the chain is; heads that come while it is asked cause one more request, as the response may be older. */
  #ask(): Promise<void> {
    this.#isDoubtful = true
    const ask = async (): Promise<void> => {
      while (this.#isDoubtful) {
        this.#isDoubtful = false
        await this.catchUp()
      }
    }
    this.#asking ??= ask().finally(() => {
      this.#asking = undefined
    })
    return this.#asking
  }

  /** The newest block that is known, or on its way. */
  get #highest(): number {
    return Math.max(this.newest?.number ?? -1, this.#running === undefined ? -1 : this.#target)
  }

  #isReplacedBy(number: number, hash: string): boolean {
    const known = this.#blocks.find((block) => block.number === number)
    return known !== undefined && known.hash !== hash
  }

  /** Drops the blocks that left the chain, `number` and those after it. */
  #goBack(number: number): void {
    this.#returns++
    this.#isReplaced = true
    this.#target = -1
    this.#dropFrom(number)
  }

  #follow(number: number): Promise<void> {
    this.#target = Math.max(number, this.#highest)
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined
      if (!this.#isReplaced) return
      this.#isReplaced = false
      this.#onReplaced()
    })
    return this.#running
  }

  async #run(): Promise<void> {
    // Twice as many each time: another chain has none of the blocks that are known.
    let dropped = 1
    while ((this.newest?.number ?? -1) < this.#target) {
      const target = this.#target
      const returns = this.#returns
      const from = Math.max((this.newest?.number ?? target - piece) + 1, target - maxKept + 1, 0)
      if (this.newest !== undefined && from > this.newest.number + 1) this.#blocks = []
      const found = await this.#fetch(from, Math.min(target, from + piece - 1))
      if (returns !== this.#returns) continue
      const [first] = found
      if (first === undefined) {
        // The chain went back meanwhile: what is announced next tells how far.
        if (target === this.#target) return
        continue
      }
      if (this.newest !== undefined && first.parentHash !== this.newest.hash) {
        // A node whose blocks follow nothing would be asked forever.
        if (dropped > maxKept) return
        this.#dropFrom(this.newest.number - dropped + 1)
        dropped *= 2
      } else this.#set([...this.#blocks, ...found])
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
      if (summary.number !== from + found.length) break
      if (before !== undefined && before.hash !== summary.parentHash) break
      found.push(summary)
    }
    return found
  }

  #dropFrom(number: number): void {
    const left = this.#blocks.filter((block) => block.number < number)
    if (left.length === this.#blocks.length) return
    this.#isReplaced = true
    this.#set(left)
  }

  #set(blocks: readonly BlockSummary[]): void {
    this.#blocks = blocks.slice(-maxKept)
    this.#onChange(this.#blocks)
  }
}
