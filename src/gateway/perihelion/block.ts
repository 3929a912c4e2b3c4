import { forkOfHeader } from '../../chain/config/chainConfig.ts'
import { since } from '../../chain/config/forks.ts'
import { codes } from '../../cosmos/codes.ts'
import { type BlockParts, ethereumEntries, toReceipts } from '../convert/blockParts.ts'
import type { ConversionContext } from '../convert/conversionContext.ts'
import { type InclusionStatus, toExecutedTransactions } from '../convert/executedTransactions.ts'
import type { ChainInfo } from '../families/chainInfo.ts'
import type { NativeBlock, NativeBlockResults, NativeResult } from '../parse/native.ts'
import { UpstreamError } from '../parse/upstreamError.ts'
import { checkPerihelionBody, parsePerihelionHeader } from './header.ts'

/** Returns whether a native transaction is in the Ethereum block: codes 0 and 1 are a receipt's status 1 and 0. */
const inclusionStatusOf = ({ code }: NativeResult): InclusionStatus =>
  code <= codes.failed ? 'executed' : 'out'

/** Assembles a block of a Perihelion chain, whose header is the one that the application committed to. */
export const assemblePerihelionBlock = (
  block: NativeBlock,
  results: NativeBlockResults,
  _context: ConversionContext,
  { config }: ChainInfo,
): BlockParts => {
  const { header, hash } = parsePerihelionHeader(results)
  const fork = forkOfHeader(config, header)
  if (!since(fork, 'byzantium'))
    throw new UpstreamError(`block ${header.number}: no result tells what a receipt before Byzantium has`)
  const entries = toExecutedTransactions(block, results, inclusionStatusOf, fork)
  const ethereum = ethereumEntries(entries)
  const receipts = toReceipts(ethereum)
  checkPerihelionBody(
    header,
    ethereum.map(({ raw }) => raw),
    receipts,
  )
  return { header, hash, entries, receipts }
}
