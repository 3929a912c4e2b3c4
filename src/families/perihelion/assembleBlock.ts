import { forkOfHeader } from '../../chain/config/chainConfig.ts'
import { since } from '../../chain/config/forks.ts'
import type { NativeBlock, NativeBlockResults, NativeResult } from '../../comet/data/nativeBlock.ts'
import { UntakenBlockError, UpstreamError } from '../../comet/data/upstreamError.ts'
import type { ChainInfo } from '../../cosmos/chainInfo.ts'
import { codes } from '../../cosmos/codes.ts'
import { resultsVersion } from '../../cosmos/results/buildResults.ts'
import { omittedLogs } from '../../cosmos/results/nativeEvents.ts'
import type { LogLocation } from '../../cosmos/results/outcomes.ts'
import type { TextEvent } from '../../cosmos/results/textEvent.ts'
import { findBlockAttribute } from '../convert/blockEvents.ts'
import { type BlockParts, ethereumEntries, toReceipts } from '../convert/blockParts.ts'
import type { ConversionContext } from '../convert/conversionContext.ts'
import { type InclusionStatus, toExecutedTransactions } from '../convert/executedTransactions.ts'
import { checkPerihelionBody, parsePerihelionHeader } from './committedHeader.ts'

/** Returns whether a native transaction is in the Ethereum block: codes 0 and 1 are a receipt's status 1 and 0. */
const inclusionStatusOf = ({ code }: NativeResult): InclusionStatus =>
  code <= codes.failed ? 'executed' : 'out'

const hasOmittedLogs = ({ type, attributes }: TextEvent): boolean =>
  type === 'tx_log' && attributes.some(({ key }) => key === omittedLogs)

/**
 * Returns where the logs are in the results of a block. Results without a version are of chains that began before there
 * was one.
 */
const logLocationOf = ({ height, events, transactions }: NativeBlockResults): LogLocation => {
  const version = findBlockAttribute(events, 'ethereum_results', 'version')
  if (version === undefined) return 'data'
  if (version === String(resultsVersion)) {
    if (transactions.some(({ events: own }) => own.some(hasOmittedLogs)))
      throw new UntakenBlockError(`block ${height} has more logs than its results can hold`)
    return 'events'
  }
  throw new UntakenBlockError(
    `the results of block ${height} are of version ${version.slice(0, 20)}, and this gateway knows ` +
      `${resultsVersion}: a newer release is needed`,
  )
}

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
  const entries = toExecutedTransactions(block, results, {
    statusOf: inclusionStatusOf,
    fork,
    logLocation: logLocationOf(results),
  })
  const ethereum = ethereumEntries(entries)
  const receipts = toReceipts(ethereum)
  checkPerihelionBody(
    header,
    ethereum.map(({ raw }) => raw),
    receipts,
  )
  return { header, hash, entries, receipts }
}
