import { keccak256 } from '../../base/crypto/crypto.ts'
import { equalBytes } from '../../base/encoding/bytes.ts'
import { toHex } from '../../base/encoding/hex.ts'
import { RlpError } from '../../base/encoding/rlp.ts'
import { createBloom, mergeBlooms } from '../../chain/block/bloom.ts'
import { decodeHeader, encodeHeader, type Header } from '../../chain/block/header.ts'
import { receiptsRoot } from '../../chain/block/receipt.ts'
import { listRoot } from '../../chain/block/trieRoot.ts'
import { UpstreamError } from '../../comet/data/upstreamError.ts'
import { codes } from '../../cosmos/codes.ts'
import { evmTypeName } from '../../cosmos/transaction/typeNames.ts'
import type { ConvertedBlock, ConvertedTransaction } from './convertedBlock.ts'
import { ranOutOfBlockGas } from './executedTransactions.ts'

type Assert = (holds: boolean, problem: string) => void

const checkTransaction = (
  assert: Assert,
  { transaction, raw, hash, sender, receipt }: ConvertedTransaction,
  index: number,
): void => {
  const what = `transaction ${index} (${toHex(hash)})`
  assert(equalBytes(keccak256(raw), hash), `${what} has not the hash of its bytes`)
  assert(sender.length === 20, `${what} has no sender`)
  assert(receipt.type === transaction.type, `${what} has the receipt of another type`)
  assert(
    equalBytes(createBloom(receipt.logs), receipt.logsBloom),
    `the bloom of ${what} is not that of its logs`,
  )
}

/**
 * Checks that the Ethereum transactions are numbered from zero without gaps, in the order of their native transactions.
 */
const checkLocations = (assert: Assert, { transactions, native }: ConvertedBlock): void => {
  let next = 0
  for (const [nativeIndex, entry] of native.transactions.entries())
    for (const index of entry.ethereumIndexes) {
      assert(index === next, `transaction ${index} stands where ${next} should`)
      next++
      const location = transactions[index]?.location
      assert(
        location?.nativeIndex === nativeIndex && equalBytes(location.nativeHash, entry.hash),
        `transaction ${index} is not where its native transaction says`,
      )
    }
  assert(next === transactions.length, `${transactions.length} transactions, ${next} of them placed`)
}

const checkGas = (assert: Assert, { transactions, header, native }: ConvertedBlock): void => {
  let before = 0n
  for (const [index, { receipt }] of transactions.entries()) {
    assert(receipt.cumulativeGasUsed >= before, `the gas of transaction ${index} is negative`)
    before = receipt.cumulativeGasUsed
  }
  // A transaction that exceeds the block's gas limit pays for more than it used, and messages of one transaction share
  // their gas.
  const isCounted = native.transactions.every(
    ({ code, ethereumIndexes: { length } }) => length === 0 || (length === 1 && code <= codes.failed),
  )
  assert(!isCounted || before <= header.gasUsed, 'its transactions used more gas than it')
}

/** Checks that no transaction hash occurs twice. */
const checkHashes = (assert: Assert, { transactions }: ConvertedBlock): void => {
  const hashes = new Set(transactions.map(({ hash }) => toHex(hash)))
  assert(hashes.size === transactions.length, 'a transaction is in it twice')
}

/**
 * Checks that every native transaction that was executed, or paid for all of its gas, has a receipt for each message.
 */
const checkReceipts = (assert: Assert, { native }: ConvertedBlock): void => {
  for (const [nativeIndex, transaction] of native.transactions.entries()) {
    const { code, types = [], ethereumIndexes, undecoded } = transaction
    if (undecoded !== undefined && ethereumIndexes.length === 0) continue
    const messages = types.filter((type) => evmTypeName(type) === 'MsgEthereumTx').length
    const isPaid = code === codes.success || ranOutOfBlockGas(transaction)
    assert(
      ethereumIndexes.length === messages || (!isPaid && ethereumIndexes.length === 0),
      `native transaction ${nativeIndex} has ${messages} Ethereum messages and ${ethereumIndexes.length} receipts`,
    )
  }
}

/** Returns whether the header can be read again as it is stored: a field that is too large would end every later start. */
const isReadable = (header: Header): boolean => {
  try {
    decodeHeader(encodeHeader(header))
    return true
  } catch (error) {
    if (error instanceof RlpError) return false
    throw error
  }
}

/**
 * Checks that all parts of a converted block are consistent. It runs before the block is stored, because stored blocks
 * are not checked again. Throws an `UpstreamError`.
 */
export const checkConsistency = (block: ConvertedBlock): void => {
  const { header, hash, transactions, native } = block
  const assert: Assert = (holds, problem) => {
    if (!holds) throw new UpstreamError(`block ${header.number}: ${problem}`)
  }
  assert(hash.length === 32, `its hash has ${hash.length} bytes`)
  assert(isReadable(header), 'its header could not be read again')
  assert(header.number === BigInt(native.height), `it has the number of block ${native.height}`)
  for (const [index, transaction] of transactions.entries()) checkTransaction(assert, transaction, index)
  checkHashes(assert, block)
  checkLocations(assert, block)
  checkGas(assert, block)
  checkReceipts(assert, block)
  const receipts = transactions.map(({ receipt }) => receipt)
  assert(
    equalBytes(mergeBlooms(receipts.map(({ logsBloom }) => logsBloom)), header.logsBloom),
    'its bloom is not that of its logs',
  )
  assert(
    equalBytes(listRoot(transactions.map(({ raw }) => raw)), header.transactionsRoot),
    'its transactions are not those of its root',
  )
  assert(equalBytes(receiptsRoot(receipts), header.receiptsRoot), 'its receipts are not those of its root')
}
