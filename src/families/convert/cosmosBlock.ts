import { forkAt } from '../../chain/config/chainConfig.ts'
import type { NativeBlock, NativeBlockResults, NativeResult } from '../../comet/data/nativeBlock.ts'
import type { ChainInfo } from '../../cosmos/chainInfo.ts'
import { codes } from '../../cosmos/codes.ts'
import { type BlockParts, ethereumEntries, toReceipts } from './blockParts.ts'
import type { ConversionContext } from './conversionContext.ts'
import { toCosmosHeader, toSeconds } from './cosmosHeader.ts'
import { type InclusionStatus, ranOutOfBlockGas, toExecutedTransactions } from './executedTransactions.ts'

/**
 * Returns how a native transaction is included: executed, or only paid if it ran out of block gas after its fee was
 * taken.
 */
const inclusionStatusOf = (result: NativeResult): InclusionStatus => {
  if (result.code === codes.success) return 'executed'
  return ranOutOfBlockGas(result) ? 'paid' : 'out'
}

/** Assembles a block of a chain with an EVM module. Its header is computed here, and its hash is CometBFT's. */
export const assembleCosmosBlock = (
  block: NativeBlock,
  results: NativeBlockResults,
  context: ConversionContext,
  chainInfo: ChainInfo,
): BlockParts => {
  const fork = forkAt(chainInfo.config, BigInt(block.header.height), toSeconds(block.header), true)
  const entries = toExecutedTransactions(block, results, {
    statusOf: inclusionStatusOf,
    fork,
    logLocation: 'data',
  })
  const ethereum = ethereumEntries(entries)
  const receipts = toReceipts(ethereum)
  const raw = ethereum.map((entry) => entry.raw)
  const header = toCosmosHeader(block, results, context, chainInfo, { fork, raw, receipts })
  return { header, hash: block.hash, entries, receipts }
}
