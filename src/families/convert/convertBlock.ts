import type { Receipt } from '../../chain/block/receipt.ts'
import { blobGasPrice } from '../../chain/fees/blobGas.ts'
import type { NativeBlock, NativeBlockResults } from '../../comet/data/nativeBlock.ts'
import type { ChainInfo } from '../../cosmos/chainInfo.ts'
import { familyOf } from '../families.ts'
import { parseBlockGas, parseDecimalBaseFee } from './blockEvents.ts'
import { ethereumEntries } from './blockParts.ts'
import type { ConversionContext } from './conversionContext.ts'
import type { ConvertedBlock, ConvertedTransaction, NativeTransactionInfo } from './convertedBlock.ts'
import type { ExecutedEthereumTransaction, ExecutedNativeTransaction } from './executedTransactions.ts'

const toConvertedTransactions = (
  entries: readonly ExecutedEthereumTransaction[],
  receipts: readonly Receipt[],
): ConvertedTransaction[] =>
  entries.map(({ transaction, raw, hash, sender, location }, index) => ({
    transaction,
    raw,
    hash,
    sender,
    receipt: receipts[index] as Receipt, // there is one for each entry
    location,
  }))

const toNativeTransactionInfo = (entries: readonly ExecutedNativeTransaction[]): NativeTransactionInfo[] => {
  let next = 0
  return entries.map(({ hash, result, contents, ethereum, undecoded }) => ({
    hash,
    code: result.code,
    codespace: result.codespace,
    log: result.log,
    gasWanted: result.gasWanted,
    gasUsed: result.gasUsed,
    types: contents?.types,
    ethereumIndexes: ethereum.map(() => next++),
    events: ethereum.length === 0 ? result.events : [],
    undecoded,
  }))
}

/**
 * Converts a native block and its results to an Ethereum block. `verify/` checks that both are what the chain committed
 * to. Throws an `UpstreamError` if they contradict themselves.
 */
export const convertBlock = (
  block: NativeBlock,
  results: NativeBlockResults,
  context: ConversionContext,
  chainInfo: ChainInfo,
): ConvertedBlock => {
  const { assemble } = familyOf(chainInfo).blocks
  const { header, hash, entries, receipts } = assemble(block, results, context, chainInfo)
  return {
    header,
    hash,
    transactions: toConvertedTransactions(ethereumEntries(entries), receipts),
    ommers: [],
    withdrawals: header.withdrawalsRoot && [],
    blobGasPrice: blobGasPrice(chainInfo.config, header),
    native: {
      hash: block.hash,
      height: block.header.height,
      time: block.header.time,
      proposer: block.header.proposerAddress,
      transactions: toNativeTransactionInfo(entries),
      fees: {
        decimalBaseFee: parseDecimalBaseFee(results.events),
        blockGas: parseBlockGas(results.events),
        maxGas: context.maxGas,
        nextMaxGas: results.nextMaxGas ?? context.maxGas,
      },
    },
  }
}
