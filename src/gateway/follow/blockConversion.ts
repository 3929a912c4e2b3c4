import { resultsHash } from '../../comet/data/contentHashes.ts'
import type { NativeHeader } from '../../comet/data/nativeBlock.ts'
import { verifyAppHash } from '../../comet/data/verifyBlock.ts'
import type { BlockWrite } from '../../families/convert/blockWrite.ts'
import { checkConsistency } from '../../families/convert/consistency.ts'
import { convertBlock } from '../../families/convert/convertBlock.ts'
import type { NativeBlockInfo } from '../../families/convert/convertedBlock.ts'
import { encodeNativeBlockInfo } from '../../families/convert/nativeBlockInfo.ts'
import { familyOf } from '../../families/families.ts'
import { encodeBlockRows } from '../../store/blockRows.ts'
import { toNativeRows } from '../nativeView/nativeRows.ts'
import type { NativeBlockWithResults } from './blockSource.ts'
import type { FollowDependencies, FollowOptions } from './followOptions.ts'

/** Makes of native blocks what is stored. */
export class BlockConversion {
  readonly #options: FollowOptions
  readonly #dependencies: Pick<FollowDependencies, 'contextReader' | 'log' | 'onUndecoded'>
  readonly #signal: AbortSignal
  #transactions = 0

  constructor(
    options: FollowOptions,
    dependencies: Pick<FollowDependencies, 'contextReader' | 'log' | 'onUndecoded'>,
    signal: AbortSignal,
  ) {
    this.#options = options
    this.#dependencies = dependencies
    this.#signal = signal
  }

  /** The number of transactions converted so far. */
  get transactions(): number {
    return this.#transactions
  }

  /** Converts a block, whose results the next header confirms if that is given, and compares its application hash with it. */
  async convert(
    { block, results, node }: NativeBlockWithResults,
    next: NativeHeader | undefined,
  ): Promise<BlockWrite> {
    const { contextReader } = this.#dependencies
    const { chainInfo } = this.#options
    const around = await contextReader.read(block.header, this.#signal)
    const converted = convertBlock(block, results, around, chainInfo)
    checkConsistency(converted)
    this.#transactions += converted.transactions.length
    // The hash of an Ethereum header that is the chain's own is its application hash, whether the node tells that one or not.
    const isOwn = familyOf(chainInfo).blocks.hash === 'header'
    const appHash = isOwn ? converted.hash : results.appHash
    if (appHash !== undefined && next !== undefined) verifyAppHash(block.header.height, appHash, next)
    const commitments = { resultsHash: resultsHash(results.transactions), appHash }
    const { native, header } = converted
    this.#reportUndecoded(native)
    return {
      ...commitments,
      number: block.header.height,
      time: Number(header.timestamp),
      nativeHash: block.hash,
      node,
      isConfirmed: next !== undefined,
      rows: {
        ...encodeBlockRows(converted),
        native: toNativeRows(native, encodeNativeBlockInfo(native, commitments), chainInfo.bech32Prefix),
      },
    }
  }

  #reportUndecoded({ height, transactions }: NativeBlockInfo): void {
    const undecoded = transactions.filter((transaction) => transaction.undecoded !== undefined)
    if (undecoded.length === 0) return
    const [first] = undecoded
    this.#dependencies.log.warn(
      { block: height, transactions: undecoded.length, reason: first?.undecoded },
      'Ethereum messages of a block have a form that is not known here: only the Cosmos view shows them',
    )
    this.#dependencies.onUndecoded?.(undecoded.length)
  }
}
