import { equalBytes } from '../base/bytes.ts'
import type { MaybePromise } from '../base/maybePromise.ts'
import { TimeSlice } from '../base/timeSlice.ts'
import type { Header } from '../chain/block/header.ts'
import { headerNotFound, refused, unavailable } from '../chain/chainError.ts'
import { blobParametersAt, type ChainConfig, forkOf } from '../chain/config/chainConfig.ts'
import { blobBaseFee, gasPerBlob, nextExcessBlobGas } from '../chain/fees/blobGas.ts'
import type { BlockRef } from '../chain/port/blockRef.ts'
import type { FeeHistory, Fees } from '../chain/port/fees.ts'
import type { BlockReader } from '../store/blockReader.ts'
import { BlockTips, type PaidTip, tipsAt, tipsOfReceipts } from './blockTips.ts'
import { ifNotPruned } from './ifNotPruned.ts'

export interface FeeOptions {
  readonly config: ChainConfig
  /** The most blocks of one history. */
  readonly historyCap: number
}

/** What a chain asks for gas. */
export interface FeeRules {
  /** Of the block after one that is stored, or after the pending one; undefined before London. */
  baseFeeAfter(header: Header): MaybePromise<bigint | undefined>
  /** Below which no price is of use, whatever the base fee. */
  leastPrice(): MaybePromise<bigint>
  /** What is suggested while no block says more. */
  usualTip(): MaybePromise<bigint>
}

/** The pending block as far as fees go. */
export interface PendingFees {
  readonly header: Header
  /** JSON of each receipt. */
  readonly receipts: readonly string[]
}

export interface FeeDependencies {
  readonly blocks: BlockReader
  readonly rules: FeeRules
  readonly head: () => { readonly header: Header; readonly hash: Uint8Array }
  readonly resolve: (ref: BlockRef) => number | 'pending' | undefined
  /** Undefined: it is the head again, as it is where nobody here makes blocks. */
  readonly pending: (() => Promise<PendingFees>) | undefined
}

/** geth's oracle: the cheapest three tips of each of the last twenty blocks, of all these the 60th percentile. */
const blocksSampled = 20
const tipsSampled = 3
const percentileTaken = 60
/** Tips below are gifts, not prices. */
const leastTip = 2n
const gwei = 1_000_000_000n
const highestTip = 500n * gwei

/** One block as a history shows it. */
interface HistoryBlock {
  readonly header: Header
  readonly tips: () => readonly PaidTip[] | undefined
}

/** Fees by what the own store holds of the last blocks, and by the rules of the chain. */
export class ServedFees implements Fees {
  readonly #options: FeeOptions
  readonly #dependencies: FeeDependencies
  readonly #tips: BlockTips
  #suggested: { readonly hash: Uint8Array; readonly tip: bigint } | undefined

  constructor(options: FeeOptions, dependencies: FeeDependencies) {
    this.#options = options
    this.#dependencies = dependencies
    this.#tips = new BlockTips(dependencies.blocks)
  }

  async suggestTip(): Promise<bigint> {
    const { head, rules } = this.#dependencies
    const { hash } = head()
    if (this.#suggested === undefined || !equalBytes(this.#suggested.hash, hash))
      this.#suggested = { hash, tip: this.#sample(this.#suggested?.tip ?? (await rules.usualTip())) }
    const { tip } = this.#suggested
    const floor = (await rules.leastPrice()) - ((await this.nextBaseFee()) ?? 0n)
    return tip > floor ? tip : floor
  }

  nextBaseFee(): MaybePromise<bigint | undefined> {
    return this.#dependencies.rules.baseFeeAfter(this.#dependencies.head().header)
  }

  blobBaseFee(): bigint | undefined {
    return this.#blobBaseFeeOf(this.#dependencies.head().header)
  }

  async history(
    count: number,
    newest: BlockRef,
    percentiles: readonly number[] | undefined,
  ): Promise<FeeHistory> {
    const wanted = Math.min(count, this.#options.historyCap)
    const blocks = await this.#range(wanted, newest)
    const rows: { readonly rewards: readonly bigint[]; readonly block: HistoryBlock }[] = []
    const slice = new TimeSlice()
    for (const block of blocks) {
      if (slice.isOver) await slice.next()
      rows.push({ block, rewards: percentiles ? rewardsOf(block, percentiles) : [] })
    }
    const headers = rows.map(({ block }) => block.header)
    const last = headers.at(-1)
    return {
      oldest: Number(headers[0]?.number ?? 0n),
      baseFees: [
        ...headers.map(({ baseFeePerGas }) => baseFeePerGas ?? 0n),
        ...(last ? [(await this.#dependencies.rules.baseFeeAfter(last)) ?? 0n] : []),
      ],
      gasUsedRatios: headers.map(({ gasUsed, gasLimit }) => ratio(gasUsed, gasLimit)),
      blobBaseFees: [
        ...headers.map((header) => this.#blobBaseFeeOf(header) ?? 0n),
        ...(last ? [this.#blobBaseFeeAfter(last) ?? 0n] : []),
      ],
      blobGasUsedRatios: headers.map((header) => this.#blobRatio(header)),
      rewards: percentiles === undefined ? undefined : rows.map(({ rewards }) => rewards),
    }
  }

  async #range(count: number, newest: BlockRef): Promise<readonly HistoryBlock[]> {
    const { blocks, head, resolve, pending } = this.#dependencies
    if (count < 1) return []
    const headNumber = Number(head().header.number)
    const found = resolve(newest)
    if (found === undefined) {
      if (newest.kind !== 'number') throw headerNotFound()
      const why = `request beyond head block: requested ${newest.number}, head ${headNumber}`
      throw refused(why)
    }
    const tail: HistoryBlock[] = []
    let last = found === 'pending' ? headNumber : found
    if (found === 'pending' && pending !== undefined) {
      const { header, receipts } = await pending()
      last = Number(header.number) - 1
      tail.push({ header, tips: () => tipsOfReceipts(`[${receipts.join(',')}]`, header) })
    }
    if (last < blocks.earliest()) throw unavailable(`blocks below ${blocks.earliest()} are not kept`)
    const first = Math.max(blocks.earliest(), last - (count - tail.length) + 1)
    const mined: HistoryBlock[] = []
    for (let number = first; number <= last; number++) {
      const header = blocks.header(number) ?? ifNotPruned(blocks, number)
      if (header === undefined) throw headerNotFound()
      mined.push({ header, tips: () => this.#tips.tipsOf(number) })
    }
    return [...mined, ...tail]
  }

  /** Blocks without any say what was said before, so that an idle chain stays where it was. */
  #sample(before: bigint): bigint {
    const { head, blocks } = this.#dependencies
    const { header } = head()
    const sampled: bigint[] = []
    let number = Number(header.number)
    let left = blocksSampled
    let more = blocksSampled
    for (; left > 0 && number >= Math.max(1, blocks.earliest()); number--, left--) {
      const tips = (this.#tips.tipsOf(number) ?? [])
        .filter(({ tip }) => tip >= leastTip)
        .slice(0, tipsSampled)
      // A block with little in it says little: another one is looked at as well.
      if (tips.length <= 1 && more-- > 0) left++
      if (tips.length > 0) sampled.push(...tips.map(({ tip }) => tip))
      else sampled.push(before)
    }
    if (sampled.length === 0) return before
    sampled.sort((a, b) => (a < b ? -1 : a > b ? 1 : 0))
    const tip = sampled[Math.floor(((sampled.length - 1) * percentileTaken) / 100)] as bigint
    return tip < highestTip ? tip : highestTip
  }

  #blobBaseFeeOf({ excessBlobGas, timestamp }: Header): bigint | undefined {
    const parameters = blobParametersAt(this.#options.config, timestamp)
    if (excessBlobGas === undefined || parameters === undefined) return undefined
    return blobBaseFee(excessBlobGas, parameters)
  }

  #blobBaseFeeAfter(header: Header): bigint | undefined {
    const { config } = this.#options
    const parameters = blobParametersAt(config, header.timestamp)
    if (header.excessBlobGas === undefined || parameters === undefined) return undefined
    return blobBaseFee(nextExcessBlobGas(header, forkOf(config, header), parameters), parameters)
  }

  #blobRatio({ blobGasUsed, timestamp }: Header): number {
    const max = blobParametersAt(this.#options.config, timestamp)?.max ?? 0
    return ratio(blobGasUsed ?? 0n, BigInt(max) * gasPerBlob)
  }
}

const rewardsOf = ({ header, tips }: HistoryBlock, percentiles: readonly number[]): readonly bigint[] => {
  const paid = tips()
  if (paid === undefined) throw unavailable(`the receipts of block ${header.number} are not kept`)
  return tipsAt(paid, header.gasUsed, percentiles)
}

const ratio = (part: bigint, whole: bigint): number => (whole === 0n ? 0 : Number(part) / Number(whole))
