import { concatBytes } from '../base/encoding/bytes.ts'
import { encodeRlp } from '../base/encoding/rlp.ts'
import { assembledLength } from '../chain/block/block.ts'
import { encodeHeader, type Header, headerFields, headerHash } from '../chain/block/header.ts'
import type { Receipt } from '../chain/block/receipt.ts'
import { type Withdrawal, withdrawalFields } from '../chain/block/withdrawal.ts'
import { gasPerBlob } from '../chain/fees/blobGas.ts'
import { effectiveGasPrice } from '../chain/fees/effectiveGasPrice.ts'
import { blockJsonFrame } from '../chain/json/blockJson.ts'
import { receiptJson } from '../chain/json/receiptJson.ts'
import { contractAddress } from '../chain/transaction/contractAddress.ts'
import type { RecoveredTransaction, Transaction } from '../chain/transaction/transaction.ts'
import type { StoredRows } from './blockStoreReader.ts'
import { toAppearancePostings, toLogPostings } from './index/blockPostings.ts'
import type { PostingListUpdate } from './index/postingTable.ts'
import type { NativeRows } from './nativeRows.ts'
import { encodeFrame, encodeHashes } from './packing/frame.ts'
import { encodeBytesPage, pageSize, type TextEntry } from './packing/pages.ts'
import { encodeBlockPages } from './packing/rowRecords.ts'

export interface ExecutedTransaction extends RecoveredTransaction {
  readonly receipt: Receipt
}

/** An executed block. */
export interface ExecutedBlock {
  readonly header: Header
  readonly hash: Uint8Array
  readonly transactions: readonly ExecutedTransaction[]
  readonly ommers: readonly Header[]
  readonly withdrawals: readonly Withdrawal[] | undefined
  /** The price of blob gas; undefined before Cancun. */
  readonly blobGasPrice: bigint | undefined
}

interface IndexedTransaction {
  readonly hash: Uint8Array
  readonly sender: Uint8Array
  readonly nonce: bigint
}

/** All rows of a block, encoded. */
export interface BlockRows extends StoredRows {
  readonly number: number
  readonly hash: Uint8Array
  readonly parentHash: Uint8Array
  readonly index: readonly IndexedTransaction[]
  /** The postings for the log index. */
  readonly logLists: readonly PostingListUpdate[]
  /** The postings for the appearance index, if it is kept. */
  readonly appearances: readonly PostingListUpdate[]
  /** The native block that this block was converted from; undefined on a node. */
  readonly native?: NativeRows
}

const pages = <Entry>(entries: readonly Entry[]): Entry[][] => {
  const list: Entry[][] = []
  for (let at = 0; at < entries.length; at += pageSize) list.push(entries.slice(at, at + pageSize))
  return list
}

const createdContract = ({ to, nonce }: Transaction, sender: Uint8Array): Uint8Array | undefined =>
  to ? undefined : contractAddress(sender, nonce)

export const toReceiptTexts = ({ header, hash, transactions, blobGasPrice }: ExecutedBlock): TextEntry[] => {
  let gasBefore = 0n
  let firstLogIndex = 0
  return transactions.map(({ transaction, hash: transactionHash, sender, receipt }, transactionIndex) => {
    const entry = receiptJson({
      receipt,
      location: {
        blockHash: hash,
        blockNumber: header.number,
        blockTimestamp: header.timestamp,
        transactionHash,
        transactionIndex,
      },
      sender,
      to: transaction.to,
      contractAddress: createdContract(transaction, sender),
      gasUsed: receipt.cumulativeGasUsed - gasBefore,
      effectiveGasPrice: effectiveGasPrice(transaction, header.baseFeePerGas),
      blobs:
        transaction.type === 3
          ? {
              gasUsed: gasPerBlob * BigInt(transaction.blobVersionedHashes.length),
              gasPrice: blobGasPrice ?? 0n,
            }
          : undefined,
      firstLogIndex,
    })
    gasBefore = receipt.cumulativeGasUsed
    firstLogIndex += receipt.logs.length
    return entry
  })
}

const encodeExtras = ({ ommers, withdrawals = [] }: ExecutedBlock): Uint8Array | undefined =>
  ommers.length + withdrawals.length === 0
    ? undefined
    : encodeRlp([ommers.map(headerFields), withdrawals.map(withdrawalFields)])

/**
 * Encodes a block for the store. This is the costly part of writing it, so it must not be done inside the
 * transaction.
 */
export const encodeBlockRows = (block: ExecutedBlock): BlockRows => {
  const { header, hash, transactions, ommers, withdrawals } = block
  if (header.number > BigInt(Number.MAX_SAFE_INTEGER))
    throw new RangeError(`block number ${header.number} is too large`)
  const headerRlp = encodeHeader(header)
  const rawTransactions = transactions.map(({ raw }) => raw)
  const { logs, transactionsLength, receiptsLength, ...textPages } = encodeBlockPages(block)
  const size = assembledLength({ headerRlp, rawTransactions, ommers, withdrawals })
  const frame = blockJsonFrame({ header, hash, size, ommerHashes: ommers.map(headerHash), withdrawals })
  const hashes = transactions.map((transaction) => transaction.hash)
  return {
    number: Number(header.number),
    hash,
    parentHash: header.parentHash,
    header: concatBytes(hash, headerRlp),
    frame: encodeFrame(frame, {
      transactions: transactions.length,
      logs,
      transactionsLength,
      receiptsLength,
    }),
    hashes: hashes.length === 0 ? undefined : encodeHashes(hashes),
    ...textPages,
    raw: pages(rawTransactions).map(encodeBytesPage),
    extras: encodeExtras(block),
    index: transactions.map(({ transaction, hash: transactionHash, sender }) => ({
      hash: transactionHash,
      sender,
      nonce: transaction.nonce,
    })),
    logLists: toLogPostings(
      Number(header.number),
      transactions.map(({ receipt }) => receipt.logs),
    ),
    appearances: toAppearancePostings(
      Number(header.number),
      transactions.map(({ transaction, sender, receipt }) => ({
        sender,
        to: transaction.to,
        created: createdContract(transaction, sender),
        logs: receipt.logs,
      })),
    ),
  }
}
