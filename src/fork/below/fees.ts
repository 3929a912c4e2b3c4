import { signalOf } from '../../base/async/waiter.ts'
import { toQuantity } from '../../base/encoding/hex.ts'
import { unavailable } from '../../chain/chainError.ts'
import type { BlockRef } from '../../chain/port/blockRef.ts'
import type { FeeHistory, Fees } from '../../chain/port/fees.ts'
import type { ChainFork } from '../../chain/port/fork.ts'

export interface ForkedFeesDependencies {
  readonly fork: () => ChainFork | undefined
  readonly head: () => number
  readonly resolve: (ref: BlockRef) => number | 'pending' | undefined
}

/** Returns fees whose history up to the fork block is asked of the remote, while the chain is forked. */
export const historyBelowFork = (
  fees: Fees,
  { fork: currentFork, head, resolve }: ForkedFeesDependencies,
): Fees => ({
  suggestTip: () => fees.suggestTip(),
  nextBaseFee: () => fees.nextBaseFee(),
  blobBaseFee: () => fees.blobBaseFee(),
  history: async (count, newest, percentiles, waiter) => {
    const local = (blocks: number): Promise<FeeHistory> => fees.history(blocks, newest, percentiles, waiter)
    const fork = currentFork()
    const last = numberOf(newest, resolve)
    if (fork === undefined || last === undefined || last > head() || count < 1) return local(count)
    const localBlocks = Math.max(0, last - fork.number)
    if (count <= localBlocks) return local(count)
    const lastBelow = Math.min(last, fork.number)
    const blocks = Math.min(count - localBlocks, lastBelow + 1)
    const below = await askForHistory(fork, blocks, lastBelow, percentiles, signalOf(waiter))
    if (localBlocks > 0) return join(below, await local(localBlocks))
    // The block after the head is one of this chain, not of the remote.
    const next = last === head() ? await fees.nextBaseFee() : undefined
    return next === undefined ? below : { ...below, baseFees: below.baseFees.with(-1, next) }
  },
})

/** Returns the number of a block, also of one that is not stored here; undefined for the pending block. */
const numberOf = (ref: BlockRef, resolve: ForkedFeesDependencies['resolve']): number | undefined => {
  if (ref.kind === 'number') return Number(ref.number)
  if (ref.kind === 'tag' && ref.tag === 'earliest') return 0
  const number = resolve(ref)
  return number === 'pending' ? undefined : number
}

const isQuantity = (value: unknown): value is string =>
  typeof value === 'string' && /^0x[0-9a-fA-F]{1,64}$/.test(value)

const isListOf = <T>(
  value: unknown,
  isItem: (item: unknown) => item is T,
  length?: number,
): value is readonly T[] =>
  Array.isArray(value) && (length === undefined || value.length === length) && value.every(isItem)

const isNumber = (value: unknown): value is number => typeof value === 'number'

/** Asks the remote for the fees of blocks up to one of them. */
const askForHistory = async (
  fork: ChainFork,
  blocks: number,
  newest: number,
  percentiles: readonly number[] | undefined,
  signal: AbortSignal,
): Promise<FeeHistory> => {
  const params = [toQuantity(blocks), toQuantity(newest), ...(percentiles === undefined ? [] : [percentiles])]
  const answer = Object(await fork.ask('eth_feeHistory', params, signal)) as Readonly<Record<string, unknown>>
  const { oldestBlock, baseFeePerGas, gasUsedRatio, baseFeePerBlobGas, blobGasUsedRatio, reward } = answer
  const count = Array.isArray(gasUsedRatio) ? gasUsedRatio.length : 0
  const isRow = (value: unknown): value is readonly string[] =>
    isListOf(value, isQuantity, percentiles?.length)
  const rewards = isListOf(reward, isRow, count) ? reward.map((tips) => tips.map(BigInt)) : undefined
  const isWhole =
    isQuantity(oldestBlock) &&
    isListOf(gasUsedRatio, isNumber) &&
    isListOf(baseFeePerGas, isQuantity, count + 1) &&
    Number(oldestBlock) + count - 1 === newest &&
    (percentiles === undefined || rewards !== undefined)
  if (!isWhole)
    throw unavailable(
      `the remote ${fork.url} answers eth_feeHistory with other blocks than the requested ones`,
    )
  return {
    oldest: Number(oldestBlock),
    baseFees: baseFeePerGas.map(BigInt),
    gasUsedRatios: gasUsedRatio,
    // A remote that knows no blobs does not tell their fees.
    blobBaseFees: isListOf(baseFeePerBlobGas, isQuantity, count + 1)
      ? baseFeePerBlobGas.map(BigInt)
      : new Array<bigint>(count + 1).fill(0n),
    blobGasUsedRatios: isListOf(blobGasUsedRatio, isNumber, count)
      ? blobGasUsedRatio
      : new Array<number>(count).fill(0),
    rewards: percentiles && rewards,
  }
}

/** Joins two histories. The second begins after the first, and the first's fees of the next block are the second's first. */
const join = (below: FeeHistory, above: FeeHistory): FeeHistory => ({
  oldest: below.oldest,
  baseFees: [...below.baseFees.slice(0, -1), ...above.baseFees],
  gasUsedRatios: [...below.gasUsedRatios, ...above.gasUsedRatios],
  blobBaseFees: [...below.blobBaseFees.slice(0, -1), ...above.blobBaseFees],
  blobGasUsedRatios: [...below.blobGasUsedRatios, ...above.blobGasUsedRatios],
  rewards: above.rewards && [...(below.rewards ?? []), ...above.rewards],
})
