import { equalBytes } from '../../base/bytes.ts'
import { keccak256 } from '../../base/crypto.ts'
import { toHex } from '../../base/hex.ts'
import { bloomOfLogs, mergeBlooms } from '../../chain/block/bloom.ts'
import { receiptsRoot } from '../../chain/block/receipt.ts'
import { listRoot } from '../../chain/block/trieRoot.ts'
import { codes } from '../../cosmos/codes.ts'
import { evmTypeName } from '../../cosmos/transaction/typeNames.ts'
import { UpstreamFault } from '../parse/upstreamFault.ts'
import type { ConvertedBlock, ConvertedTransaction } from './converted.ts'
import { ranOutOfBlockGas } from './entries.ts'

type Demand = (holds: boolean, problem: string) => void

const checkTransaction = (
  demand: Demand,
  { transaction, raw, hash, sender, receipt }: ConvertedTransaction,
  index: number,
): void => {
  const what = `transaction ${index} (${toHex(hash)})`
  demand(equalBytes(keccak256(raw), hash), `${what} has not the hash of its bytes`)
  demand(sender.length === 20, `${what} has no sender`)
  demand(receipt.type === transaction.type, `${what} has the receipt of another type`)
  demand(
    equalBytes(bloomOfLogs(receipt.logs), receipt.logsBloom),
    `the bloom of ${what} is not that of its logs`,
  )
}

/** That the transactions of native ones count up from zero without a gap, each with the place that the native has. */
const checkPlaces = (demand: Demand, { transactions, native }: ConvertedBlock): void => {
  let next = 0
  for (const [nativeIndex, entry] of native.transactions.entries())
    for (const index of entry.ethereumIndexes) {
      demand(index === next, `transaction ${index} stands where ${next} should`)
      next++
      const place = transactions[index]?.place
      demand(
        place?.nativeIndex === nativeIndex && equalBytes(place.nativeHash, entry.hash),
        `transaction ${index} is not where its native transaction says`,
      )
    }
  demand(next === transactions.length, `${transactions.length} transactions, of which ${next} have a place`)
}

const checkGas = (demand: Demand, { transactions, header, native }: ConvertedBlock): void => {
  let before = 0n
  for (const [index, { receipt }] of transactions.entries()) {
    demand(receipt.cumulativeGasUsed >= before, `the gas of transaction ${index} is negative`)
    before = receipt.cumulativeGasUsed
  }
  // One that ran into the block's gas limit pays for more than it used; messages side by side share their gas.
  const isCounted = native.transactions.every(
    ({ code, ethereumIndexes: { length } }) => length === 0 || (length === 1 && code <= codes.failed),
  )
  demand(!isCounted || before <= header.gasUsed, 'its transactions used more gas than it')
}

/** That one of a hash is there once. */
const checkHashes = (demand: Demand, { transactions }: ConvertedBlock): void => {
  const hashes = new Set(transactions.map(({ hash }) => toHex(hash)))
  demand(hashes.size === transactions.length, 'a transaction is in it twice')
}

/** That whatever was executed, or paid for all of its gas, has a receipt for each of its messages. */
const checkReceipts = (demand: Demand, { native }: ConvertedBlock): void => {
  for (const [nativeIndex, { code, log, types = [], ethereumIndexes }] of native.transactions.entries()) {
    const messages = types.filter((type) => evmTypeName(type) === 'MsgEthereumTx').length
    const isPaid = code === codes.success || ranOutOfBlockGas(log)
    demand(
      ethereumIndexes.length === messages || (!isPaid && ethereumIndexes.length === 0),
      `native transaction ${nativeIndex} has ${messages} Ethereum messages and ${ethereumIndexes.length} receipts`,
    )
  }
}

/**
 * That all parts of a converted block fit together, before it is stored: what is served from then on is not looked at
 * again. Throws an UpstreamFault.
 */
export const checkCoherence = (block: ConvertedBlock): void => {
  const { header, hash, transactions, native } = block
  const demand: Demand = (holds, problem) => {
    if (!holds) throw new UpstreamFault(`block ${header.number}: ${problem}`)
  }
  demand(hash.length === 32, 'its hash is none')
  demand(header.number === BigInt(native.height), `it has the number of block ${native.height}`)
  for (const [index, transaction] of transactions.entries()) checkTransaction(demand, transaction, index)
  checkHashes(demand, block)
  checkPlaces(demand, block)
  checkGas(demand, block)
  checkReceipts(demand, block)
  const receipts = transactions.map(({ receipt }) => receipt)
  demand(
    equalBytes(mergeBlooms(receipts.map(({ logsBloom }) => logsBloom)), header.logsBloom),
    'its bloom is not that of its logs',
  )
  demand(
    equalBytes(listRoot(transactions.map(({ raw }) => raw)), header.transactionsRoot),
    'its transactions are not those of its root',
  )
  demand(equalBytes(receiptsRoot(receipts), header.receiptsRoot), 'its receipts are not those of its root')
}
