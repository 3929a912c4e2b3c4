import { forkOf } from '../../chain/config/chainConfig.ts'
import { since } from '../../chain/config/forks.ts'
import { codes } from '../../cosmos/codes.ts'
import { type BlockParts, ethereumEntries, toReceipts } from '../convert/blockParts.ts'
import type { ConversionContext } from '../convert/conversionContext.ts'
import { entriesOf, type Standing } from '../convert/entries.ts'
import type { ChainFacts } from '../families/chainFacts.ts'
import type { NativeBlock, NativeResult, NativeResults } from '../parse/native.ts'
import { UpstreamFault } from '../parse/upstreamFault.ts'
import { checkPerihelionBody, parsePerihelionHeader } from './header.ts'

/** Codes 0 and 1 are a receipt's status 1 and 0. */
const standingOf = ({ code }: NativeResult): Standing => (code <= codes.failed ? 'executed' : 'out')

/** Assembles a block of a Perihelion chain: its header is the one that the application committed to. */
export const assemblePerihelionBlock = (
  block: NativeBlock,
  results: NativeResults,
  _context: ConversionContext,
  { config }: ChainFacts,
): BlockParts => {
  const { header, hash } = parsePerihelionHeader(results)
  const fork = forkOf(config, header)
  if (!since(fork, 'byzantium'))
    throw new UpstreamFault(`block ${header.number}: no result tells what a receipt before Byzantium has`)
  const entries = entriesOf(block, results, standingOf, fork)
  const ethereum = ethereumEntries(entries)
  const receipts = toReceipts(ethereum)
  checkPerihelionBody(
    header,
    ethereum.map(({ raw }) => raw),
    receipts,
  )
  return { header, hash, entries, receipts }
}
