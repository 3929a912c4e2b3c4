import { forkAt } from '../../chain/config/chainConfig.ts'
import type { ChainFacts } from '../families/chainFacts.ts'
import type { NativeBlock, NativeResult, NativeResults } from '../parse/native.ts'
import { type BlockParts, ethereumEntries, toReceipts } from './blockParts.ts'
import type { ConversionContext } from './conversionContext.ts'
import { secondsOf, toCosmosHeader } from './cosmosHeader.ts'
import { entriesOf, ranOutOfBlockGas, type Standing } from './entries.ts'

/** The block has what was executed, and what ran into its gas limit after its fee was taken. */
const standingOf = ({ code, log }: NativeResult): Standing => {
  if (code === 0) return 'executed'
  return ranOutOfBlockGas(log) ? 'paid' : 'out'
}

/** Assembles a block of a chain with an EVM module: the header is made here, and CometBFT's hash is the block's. */
export const assembleCosmosBlock = (
  block: NativeBlock,
  results: NativeResults,
  context: ConversionContext,
  facts: ChainFacts,
): BlockParts => {
  const fork = forkAt(facts.config, BigInt(block.header.height), secondsOf(block.header), true)
  const entries = entriesOf(block, results, standingOf, fork)
  const ethereum = ethereumEntries(entries)
  const receipts = toReceipts(ethereum)
  const raw = ethereum.map((entry) => entry.raw)
  const header = toCosmosHeader(block, results, context, facts, { fork, raw, receipts })
  return { header, hash: block.hash, entries, receipts }
}
