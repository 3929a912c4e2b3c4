import type { MaybePromise } from '../base/async/maybePromise.ts'
import type { Waiter } from '../base/async/waiter.ts'
import { equalBytes } from '../base/encoding/bytes.ts'
import { type Slice, TimeSlice } from '../base/threads/timeSlice.ts'
import type { Header } from '../chain/block/header.ts'
import { headerNotFound, refused, unavailable } from '../chain/chainError.ts'
import { blobParametersAt, type ChainConfig, forkOfHeader } from '../chain/config/chainConfig.ts'
import { blobBaseFee, gasPerBlob, nextExcessBlobGas } from '../chain/fees/blobGas.ts'
import { type PaidTip, TipSample, tipPercentiles } from '../chain/fees/tips.ts'
import type { BlockRef } from '../chain/port/blockRef.ts'
import type { FeeHistory, Fees, HoldingWaiter } from '../chain/port/fees.ts'
import type { BlockStoreReader } from '../store/blockStoreReader.ts'
import { assertNotPruned } from './assertNotPruned.ts'
import { BlockTips, parseTips } from './blockTips.ts'

export interface FeeOptions {
  readonly config: ChainConfig
  /** The largest number of blocks in one fee history. */
  readonly historyCap: number
}

/** The fee rules of a chain. */
export interface FeeRules {
  /**
   * Returns the base fee of the block after `header`, which is a stored or the pending one; undefined before London.
   */
  baseFeeAfter(header: Header): MaybePromise<bigint | undefined>
  /** Returns the lowest price that is accepted, whatever the base fee is. */
  minGasPrice(): MaybePromise<bigint>
  /** Returns the tip to suggest if recent blocks give none. */
  defaultTip(): MaybePromise<bigint>
}

/** The parts of the pending block that fees depend on. */
export interface PendingFees {
  readonly header: Header
  /** The JSON of each receipt. */
  readonly receipts: readonly string[]
}

export interface FeeDependencies {
  readonly blocks: BlockStoreReader
  readonly rules: FeeRules
  readonly head: () => { readonly header: Header; readonly hash: Uint8Array }
  readonly resolve: (ref: BlockRef) => number | 'pending' | undefined
  /** Builds the pending block; undefined if no blocks are produced here, and then the head counts as pending. */
  readonly pending: (() => Promise<PendingFees>) | undefined
}

/** The memory of a block of a fee history until it is answered, and of each of its tips: values and their texts. */
const blockBytes = 2_000
const tipBytes = 100

/** One block of a fee history. */
interface HistoryBlock {
  readonly header: Header
  readonly tips: () => readonly PaidTip[] | undefined
}

/** Suggests fees from the latest blocks of the local store and the rules of the chain. */
export class FeeOracle implements Fees {
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
    const { rules } = this.#dependencies
    const tip = await this.#tipAtHead()
    const floor = (await rules.minGasPrice()) - ((await this.nextBaseFee()) ?? 0n)
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
    waiter?: Waiter | HoldingWaiter,
  ): Promise<FeeHistory> {
    const wanted = Math.min(count, this.#options.historyCap)
    const slice = TimeSlice.inTurn()
    const blocks = await this.#range(wanted, newest, slice)
    if (waiter !== undefined && 'hold' in waiter)
      waiter.hold(blocks.length * (blockBytes + tipBytes * (percentiles?.length ?? 0)))
    const rows: { readonly rewards: readonly bigint[]; readonly block: HistoryBlock }[] = []
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

  async #range(count: number, newest: BlockRef, slice: Slice): Promise<readonly HistoryBlock[]> {
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
      tail.push({ header, tips: () => parseTips(`[${receipts.join(',')}]`, header) })
    }
    if (last < blocks.oldestComplete())
      throw unavailable(`blocks below ${blocks.oldestComplete()} are not kept`)
    const first = Math.max(blocks.oldestComplete(), last - (count - tail.length) + 1)
    const mined: HistoryBlock[] = []
    for (let number = first; number <= last; number++) {
      if (slice.isOver) await slice.next()
      const header = blocks.header(number) ?? assertNotPruned(blocks, number)
      if (header === undefined) throw headerNotFound()
      const hash = blocks.blockHashAt(number)
      mined.push({ header, tips: () => this.#tipsOf(number, hash) })
    }
    return [...mined, ...tail]
  }

  /** Returns the tips of a block whose header was read before: it may have been removed since. */
  #tipsOf(number: number, hash: Uint8Array | undefined): readonly PaidTip[] | undefined {
    const now = this.#dependencies.blocks.blockHashAt(number)
    if (hash === undefined || now === undefined || !equalBytes(now, hash))
      throw unavailable('blocks were reverted while they were read; try again')
    return this.#tips.tipsOfBlock(number)
  }

  async #tipAtHead(): Promise<bigint> {
    const { head, rules } = this.#dependencies
    const { header, hash } = head()
    if (this.#suggested !== undefined && equalBytes(this.#suggested.hash, hash)) return this.#suggested.tip
    const tip = this.#sample(Number(header.number), await rules.defaultTip())
    // Not kept if it was sampled while the head moved.
    if (equalBytes(head().hash, hash)) this.#suggested = { hash, tip }
    return tip
  }

  /** Returns the tip to suggest at a head. */
  #sample(headNumber: number, defaultTip: bigint): bigint {
    const { blocks } = this.#dependencies
    const sample = new TipSample(defaultTip)
    const oldest = Math.max(1, blocks.oldestComplete())
    for (let number = headNumber; !sample.isFull && number >= oldest; number--)
      sample.add(this.#tips.tipsOfBlock(number) ?? [])
    return sample.tip
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
    return blobBaseFee(nextExcessBlobGas(header, forkOfHeader(config, header), parameters), parameters)
  }

  #blobRatio({ blobGasUsed, timestamp }: Header): number {
    const max = blobParametersAt(this.#options.config, timestamp)?.max ?? 0
    return ratio(blobGasUsed ?? 0n, BigInt(max) * gasPerBlob)
  }
}

const rewardsOf = ({ header, tips }: HistoryBlock, percentiles: readonly number[]): readonly bigint[] => {
  const paid = tips()
  if (paid === undefined) throw unavailable(`the receipts of block ${header.number} are not kept`)
  return tipPercentiles(paid, header.gasUsed, percentiles)
}

const ratio = (part: bigint, whole: bigint): number => (whole === 0n ? 0 : Number(part) / Number(whole))
