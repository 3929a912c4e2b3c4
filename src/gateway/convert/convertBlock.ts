import type { Receipt } from '../../chain/block/receipt.ts'
import { blobGasPrice } from '../../chain/config/chainConfig.ts'
import type { ChainFacts } from '../families/chainFacts.ts'
import { familyOf } from '../families/families.ts'
import type { NativeBlock, NativeResults } from '../parse/native.ts'
import { blockGasOf, decimalBaseFee } from './blockEvents.ts'
import { ethereumEntries } from './blockParts.ts'
import type { ConversionContext } from './conversionContext.ts'
import type { ConvertedBlock, ConvertedTransaction, NativeTransactionFacts } from './converted.ts'
import type { EthereumEntry, NativeEntry } from './entries.ts'

const executed = (entries: readonly EthereumEntry[], receipts: readonly Receipt[]): ConvertedTransaction[] =>
  entries.map(({ transaction, raw, hash, sender, place }, index) => ({
    transaction,
    raw,
    hash,
    sender,
    receipt: receipts[index] as Receipt, // one for each entry
    place,
  }))

const nativeTransactions = (entries: readonly NativeEntry[]): NativeTransactionFacts[] => {
  let next = 0
  return entries.map(({ hash, result, contents, ethereum }) => ({
    hash,
    code: result.code,
    codespace: result.codespace,
    log: result.log,
    gasWanted: result.gasWanted,
    gasUsed: result.gasUsed,
    types: contents?.types,
    ethereumIndexes: ethereum.map(() => next++),
    events: ethereum.length === 0 ? result.events : [],
  }))
}

/**
 * A native block with its results as the block that Ethereum sees. That both are what the chain committed to is for
 * `verify/` to say; what contradicts itself here throws an UpstreamFault.
 */
export const convertBlock = (
  block: NativeBlock,
  results: NativeResults,
  context: ConversionContext,
  facts: ChainFacts,
): ConvertedBlock => {
  const { assemble } = familyOf(facts).blocks
  const { header, hash, entries, receipts } = assemble(block, results, context, facts)
  return {
    header,
    hash,
    transactions: executed(ethereumEntries(entries), receipts),
    ommers: [],
    withdrawals: header.withdrawalsRoot && [],
    blobGasPrice: blobGasPrice(facts.config, header),
    native: {
      hash: block.hash,
      height: block.header.height,
      time: block.header.time,
      proposer: block.header.proposerAddress,
      transactions: nativeTransactions(entries),
      fees: {
        decimalBaseFee: decimalBaseFee(results.events),
        blockGas: blockGasOf(results.events),
        maxGas: context.maxGas,
        nextMaxGas: results.nextMaxGas ?? context.maxGas,
      },
    },
  }
}
