import type { Header } from '../../chain/block/header.ts'
import { createReceipt, type Receipt } from '../../chain/block/receipt.ts'
import { blobGasPrice, forkAt, forkOf } from '../../chain/config/chainConfig.ts'
import { since } from '../../chain/config/forks.ts'
import type { ChainFacts } from '../facts.ts'
import type { BlockSurroundings, NativeBlock, NativeResults } from '../native.ts'
import { UpstreamFault } from '../parse/upstreamFault.ts'
import { blockGasOf, decimalBaseFee } from './blockEvents.ts'
import type { ConvertedBlock, ConvertedTransaction, NativeTransactionFacts } from './converted.ts'
import { type EthereumEntry, entriesOf, foreignStanding, type NativeEntry, ownStanding } from './entries.ts'
import { foreignHeader, secondsOf } from './foreignHeader.ts'
import { checkOwnBody, ownHeader } from './ownHeader.ts'

const maxUint64 = (1n << 64n) - 1n

/** Cumulative gas counts Ethereum transactions alone. */
const receiptsOf = (entries: readonly EthereumEntry[]): Receipt[] => {
  let cumulativeGasUsed = 0n
  return entries.map(({ transaction, succeeded, gasUsed, logs }) => {
    cumulativeGasUsed += gasUsed
    if (gasUsed < 0n || cumulativeGasUsed > maxUint64)
      throw new UpstreamFault(`the gas of a transaction is ${gasUsed}`)
    return createReceipt({ type: transaction.type, outcome: succeeded, cumulativeGasUsed, logs })
  })
}

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

interface Assembled {
  readonly header: Header
  readonly hash: Uint8Array
  readonly entries: readonly NativeEntry[]
  readonly receipts: readonly Receipt[]
}

const ethereumOf = (entries: readonly NativeEntry[]): EthereumEntry[] =>
  entries.flatMap(({ ethereum }) => ethereum)

const assembleForeign = (
  block: NativeBlock,
  results: NativeResults,
  surroundings: BlockSurroundings,
  facts: ChainFacts,
): Assembled => {
  const { height } = block.header
  const fork = forkAt(facts.config, BigInt(height), secondsOf(block.header), true)
  const entries = entriesOf(block, results, foreignStanding, fork)
  const ethereum = ethereumOf(entries)
  const receipts = receiptsOf(ethereum)
  const raw = ethereum.map((entry) => entry.raw)
  const header = foreignHeader(block, results, surroundings, facts, { fork, raw, receipts })
  return { header, hash: block.hash, entries, receipts }
}

const assembleOwn = (block: NativeBlock, results: NativeResults, { config }: ChainFacts): Assembled => {
  const { header, hash } = ownHeader(results)
  const fork = forkOf(config, header)
  if (!since(fork, 'byzantium'))
    throw new UpstreamFault(`block ${header.number}: no result tells what a receipt before Byzantium has`)
  const entries = entriesOf(block, results, ownStanding, fork)
  const ethereum = ethereumOf(entries)
  const receipts = receiptsOf(ethereum)
  checkOwnBody(
    header,
    ethereum.map(({ raw }) => raw),
    receipts,
  )
  return { header, hash, entries, receipts }
}

/**
 * A native block with its results as the block that Ethereum sees. That both are what the chain committed to is for
 * `verify/` to say; what contradicts itself here throws an UpstreamFault.
 */
export const convertBlock = (
  block: NativeBlock,
  results: NativeResults,
  surroundings: BlockSurroundings,
  facts: ChainFacts,
): ConvertedBlock => {
  const { header, hash, entries, receipts } =
    facts.family === 'perihelion'
      ? assembleOwn(block, results, facts)
      : assembleForeign(block, results, surroundings, facts)
  return {
    header,
    hash,
    transactions: executed(ethereumOf(entries), receipts),
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
        maxGas: surroundings.maxGas,
        nextMaxGas: results.nextMaxGas ?? surroundings.maxGas,
      },
    },
  }
}
