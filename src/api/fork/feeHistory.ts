import { toQuantity } from '../../base/encoding/hex.ts'
import type { Chain } from '../../chain/port/chain.ts'
import type { ChainFork } from '../../chain/port/fork.ts'
import { unavailable } from '../../rpc/errors.ts'

/** The answer of `eth_feeHistory`. */
export interface FeeHistoryJson {
  readonly oldestBlock: string
  readonly baseFeePerGas: readonly string[]
  readonly gasUsedRatio: readonly number[]
  readonly baseFeePerBlobGas?: readonly string[]
  readonly blobGasUsedRatio?: readonly number[]
  readonly reward?: readonly (readonly string[])[]
}

/** The blocks of a fee history: how many are the remote's, and how many are local. */
export interface FeeHistoryShares {
  readonly remote: number
  readonly local: number
}

/** Returns the number of the last block of a history, whose parameter is a number or a tag. */
export const newestNumber = (chain: Chain, newest: unknown): number => {
  if (newest === 'earliest') return 0
  return typeof newest === 'string' && newest.startsWith('0x') ? Number(newest) : chain.head().number
}

/** Returns the shares of a history; undefined if all of it is local, or it is about no block that there is. */
export const shareFeeHistory = (
  chain: Chain,
  fork: ChainFork,
  count: number,
  newest: unknown,
): FeeHistoryShares | undefined => {
  const last = newestNumber(chain, newest)
  if (newest === 'pending' || last > chain.head().number || count < 1) return undefined
  const local = Math.max(0, last - fork.number)
  if (count <= local) return undefined
  return { local, remote: Math.min(count - local, Math.min(last, fork.number) + 1) }
}

/** Asks the remote for its share, whose newest block is given. */
export const askForFeeHistory = async (
  fork: ChainFork,
  { remote }: FeeHistoryShares,
  newest: number,
  percentiles: unknown,
  signal: AbortSignal,
): Promise<FeeHistoryJson> => {
  const params = [toQuantity(remote), toQuantity(newest), ...(percentiles === undefined ? [] : [percentiles])]
  const answer = (await fork.ask('eth_feeHistory', params, signal)) as Partial<FeeHistoryJson> | null
  const { oldestBlock, baseFeePerGas, gasUsedRatio } = answer ?? {}
  const isWhole =
    typeof oldestBlock === 'string' &&
    Array.isArray(baseFeePerGas) &&
    Array.isArray(gasUsedRatio) &&
    baseFeePerGas.length === gasUsedRatio.length + 1 &&
    Number(oldestBlock) + gasUsedRatio.length - 1 === newest
  if (!isWhole) throw unavailable(`the remote ${fork.url} answers eth_feeHistory with what was not asked for`)
  return answer as FeeHistoryJson // as far as it is used
}

/** Returns a history up to the head with the fee of the block that this chain makes next, not of the remote's. */
export const withNextBaseFee = (history: FeeHistoryJson, next: bigint | undefined): FeeHistoryJson =>
  next === undefined
    ? history
    : { ...history, baseFeePerGas: history.baseFeePerGas.with(-1, toQuantity(next)) }

/** Joins two histories of which the second begins after the first. The first one's fee of the next block is the second's first. */
export const joinFeeHistories = (below: FeeHistoryJson, above: FeeHistoryJson): FeeHistoryJson => {
  const count = below.gasUsedRatio.length
  const zeros = <T>(list: readonly T[] | undefined, none: T): readonly T[] =>
    list?.slice(0, count) ?? new Array<T>(count).fill(none)
  return {
    oldestBlock: below.oldestBlock,
    baseFeePerGas: [...below.baseFeePerGas.slice(0, count), ...above.baseFeePerGas],
    gasUsedRatio: [...below.gasUsedRatio, ...above.gasUsedRatio],
    ...(above.baseFeePerBlobGas && {
      baseFeePerBlobGas: [...zeros(below.baseFeePerBlobGas, '0x0'), ...above.baseFeePerBlobGas],
    }),
    ...(above.blobGasUsedRatio && {
      blobGasUsedRatio: [...zeros(below.blobGasUsedRatio, 0), ...above.blobGasUsedRatio],
    }),
    ...(above.reward && { reward: [...(below.reward ?? []), ...above.reward] }),
  }
}
