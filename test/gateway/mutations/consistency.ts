import { toHex } from '../../../src/base/encoding/hex.ts'
import type { NativeHeader } from '../../../src/comet/data/nativeBlock.ts'
import type { BuiltBlock } from '../replay/block/buildBlock.ts'
import { type CometHeader, dataHash, headerHash, resultsHash } from '../replay/block/comet.ts'
import { keccak } from '../replay/block/signing.ts'
import { bloomOf, encodeReceipt, orderedRoot } from '../replay/block/trie.ts'
import type { Accepted } from './pipeline.ts'

/**
 * Whether what was passed on is what the chain committed to, by hashes that are computed apart from the gateway and by
 * what the generator knows. What no hash covers (events, the text of a log) may be told wrong; it is not asked about.
 */

const toComet = (header: NativeHeader): CometHeader => ({
  chainId: header.chainId,
  versionApp: Number(header.versionApp),
  height: header.height,
  time: { seconds: Number(header.time.seconds), nanos: header.time.nanos },
  lastHash: header.lastBlockId.hash,
  lastPartsHash: header.lastBlockId.partsHash,
  lastCommitHash: header.lastCommitHash,
  dataHash: header.dataHash,
  validatorsHash: header.validatorsHash,
  nextValidatorsHash: header.nextValidatorsHash,
  consensusHash: header.consensusHash,
  appHash: header.appHash,
  lastResultsHash: header.lastResultsHash,
  evidenceHash: header.evidenceHash,
  proposer: header.proposerAddress,
})

/** The first thing that is wrong; undefined where nothing is. */
export const inconsistency = (
  { block, results, converted }: Accepted,
  honest: BuiltBlock,
): string | undefined => {
  const { header, transactions } = converted
  const same = (a: Uint8Array, b: Uint8Array): boolean => toHex(a) === toHex(b)
  if (!same(headerHash(toComet(block.header)), block.hash)) return 'the hash is not that of the header'
  if (!same(block.hash, honest.hash)) return 'another block'
  if (!same(dataHash(block.transactions), honest.header.dataHash)) return 'other transactions'
  if (!same(resultsHash(results.transactions), resultsHash(honest.results))) return 'other results'
  if (results.appHash !== undefined && !same(results.appHash, honest.appHash)) return 'another state'
  if (!same(converted.hash, honest.own ? honest.appHash : honest.hash)) return 'another Ethereum hash'
  if (honest.own && !same(header.stateRoot, honest.own.stateRoot)) return 'another Ethereum header'
  if (!same(orderedRoot(transactions.map(({ raw }) => raw)), header.transactionsRoot))
    return 'transactions root'
  const receipts = transactions.map(({ receipt }) => receipt)
  const encoded = receipts.map(({ type, outcome, cumulativeGasUsed, logs }) =>
    encodeReceipt(type, outcome === true, cumulativeGasUsed, logs),
  )
  if (!same(orderedRoot(encoded), header.receiptsRoot)) return 'receipts root'
  if (!same(bloomOf(receipts.flatMap(({ logs }) => logs)), header.logsBloom)) return 'bloom'
  return transactions.map((one) => wrongTransaction(one, honest)).find((problem) => problem !== undefined)
}

const wrongTransaction = (
  { raw, hash, sender, receipt }: Accepted['converted']['transactions'][number],
  honest: BuiltBlock,
): string | undefined => {
  if (toHex(keccak(raw)) !== toHex(hash)) return 'the hash of a transaction'
  const known = honest.executed.find(({ tx }) => toHex(tx.hash) === toHex(hash))
  if (known === undefined) return 'a transaction that is not of the block'
  if (toHex(known.tx.from) !== toHex(sender)) return 'the sender of a transaction'
  if ((receipt.outcome === true) !== known.outcome.success) return 'the status of a transaction'
  const logs = (list: typeof receipt.logs) =>
    JSON.stringify(list.map(({ address, topics, data }) => [toHex(address), topics.map(toHex), toHex(data)]))
  return logs(receipt.logs) === logs(known.outcome.logs) ? undefined : 'the logs of a transaction'
}
