import type { Header } from '../../chain/block/header.ts'
import type { Receipt } from '../../chain/block/receipt.ts'
import type { Log } from '../../chain/block/receiptLog.ts'
import { contractAddress } from '../../chain/transaction/contractAddress.ts'
import type { RecoveredTransaction } from '../../chain/transaction/transaction.ts'
import { area, packing, reserve, slack } from './module.ts'
import { pageSize } from './pages.ts'

/**
 * The pages of a block's transactions and receipts. WebAssembly writes them (assembly/transactionPage.ts, receiptPage.ts) from
 * the bytes of transactions and from the records that are written here, so that no JSON is made only to be packed. The rows are
 * those of `encodeTextPage` and `encodeReceiptPage`.
 */
export interface BlockPages {
  readonly transactions: readonly Uint8Array[]
  readonly receipts: readonly Uint8Array[]
  readonly logs: number
  /** The lengths of the texts, with the commas between them. */
  readonly transactionsLength: number
  readonly receiptsLength: number
}

/** What the roots of a block depend on. */
interface RootEntry {
  readonly raw: Uint8Array
  readonly receipt: Receipt
}

type PageEntry = RecoveredTransaction & RootEntry

interface PagedBlock {
  readonly header: Header
  readonly hash: Uint8Array
  readonly transactions: readonly PageEntry[]
  readonly blobGasPrice: bigint | undefined
}

const blockBytes = 120
const recordBytes = 136
const logBytes = 28
const bloomBytes = 256
const flags = { succeeded: 1, hasRoot: 2, creates: 4 } as const
/** More than the pages have of a transaction beside its bytes and logs, and than the text of a log has beside its bytes. */
const restOfEntry = 2048
const restOfLog = 1024
/** What the nodes of a path from the root of a trie down take, beside a value. */
const nodesBytes = 16_384

const sizeOfLogs = (logs: readonly Log[]): number =>
  logs.length === 0
    ? 0
    : logs.reduce((sum, { topics, data }) => sum + logBytes + 32 * topics.length + data.length, bloomBytes)

const writeBigInt = (bytes: Buffer, at: number, value: bigint): void => {
  for (let i = 0, rest = value; i < 4; i++, rest >>= 64n)
    bytes.writeBigUInt64BE(BigInt.asUintN(64, rest), at + 24 - 8 * i)
}

const writeBlock = (bytes: Buffer, { header, hash, blobGasPrice }: PagedBlock): void => {
  bytes.set(hash, area)
  bytes.writeBigUInt64LE(header.number, area + 32)
  bytes.writeBigUInt64LE(header.timestamp, area + 40)
  writeBigInt(bytes, area + 48, header.baseFeePerGas ?? 0n)
  writeBigInt(bytes, area + 80, blobGasPrice ?? 0n)
  bytes[area + 112] = header.baseFeePerGas === undefined ? 0 : 1
}

const writeLogs = (bytes: Buffer, start: number, logs: readonly Log[]): void => {
  let at = start
  for (const { address, topics, data } of logs) {
    bytes.set(address, at)
    bytes.writeUInt32LE(topics.length, at + 20)
    bytes.writeUInt32LE(data.length, at + 24)
    at += logBytes
    for (const topic of topics) {
      bytes.set(topic, at)
      at += 32
    }
    bytes.set(data, at)
    at += data.length
  }
}

/** Writes what the roots depend on, and returns the record's end. */
const writeContent = (bytes: Buffer, at: number, { raw, receipt }: RootEntry): number => {
  const { outcome, cumulativeGasUsed, logs, logsBloom } = receipt
  const logsLength = sizeOfLogs(logs)
  if (typeof outcome !== 'boolean') bytes.set(outcome, at + 72)
  bytes.writeBigUInt64LE(cumulativeGasUsed, at + 104)
  bytes.writeUInt32LE(outcome === true ? flags.succeeded : outcome === false ? 0 : flags.hasRoot, at + 120)
  bytes.writeUInt32LE(raw.length, at + 124)
  bytes.writeUInt32LE(logs.length, at + 128)
  bytes.writeUInt32LE(logsLength, at + 132)
  bytes.set(raw, at + recordBytes)
  const logsAt = at + recordBytes + raw.length
  if (logsLength > 0) {
    bytes.set(logsBloom, logsAt)
    writeLogs(bytes, logsAt + bloomBytes, logs)
  }
  return logsAt + logsLength
}

/** Writes a record and returns its end. */
const writeRecord = (bytes: Buffer, at: number, entry: PageEntry, gasBefore: bigint): number => {
  const { transaction, hash, sender, receipt } = entry
  const end = writeContent(bytes, at, entry)
  bytes.set(hash, at)
  bytes.set(sender, at + 32)
  bytes.writeBigUInt64LE(BigInt.asUintN(64, receipt.cumulativeGasUsed - gasBefore), at + 112)
  if (transaction.to === undefined) {
    bytes[at + 120] = (bytes[at + 120] as number) | flags.creates
    bytes.set(contractAddress(sender, transaction.nonce), at + 52)
  }
  return end
}

/** The room that the records of a page take, and what is made of them, at most. */
const roomOf = (transactions: readonly RootEntry[]): { records: number; page: number } => {
  let records = 0
  let page = 0
  for (const { raw, receipt } of transactions) {
    const logs = sizeOfLogs(receipt.logs)
    records += recordBytes + raw.length + logs
    page += restOfEntry + restOfLog * receipt.logs.length + 3 * logs + 3 * raw.length
  }
  return { records, page }
}

/** Returns the roots over transactions and receipts. */
export const bodyRootsOf = (
  entries: readonly RootEntry[],
): { readonly transactionsRoot: Uint8Array; readonly receiptsRoot: Uint8Array } => {
  const room = roomOf(entries)
  const tableAt = area + room.records + slack
  const rootsAt = tableAt + 8 * entries.length
  const workAt = rootsAt + 64
  const bytes = reserve(workAt + 2 * room.page + nodesBytes - area)
  let at = area
  for (const entry of entries) at = writeContent(bytes, at, entry)
  packing.transactionsRoot(area, entries.length, tableAt, workAt, rootsAt)
  packing.receiptsRoot(area, entries.length, tableAt, workAt, rootsAt + 32)
  const roots = new Uint8Array(64)
  bytes.copy(roots, 0, rootsAt, workAt)
  return { transactionsRoot: roots.subarray(0, 32), receiptsRoot: roots.subarray(32) }
}

export const encodeBlockPages = (block: PagedBlock): BlockPages => {
  const { transactions } = block
  const pages = { transactions: [] as Uint8Array[], receipts: [] as Uint8Array[] }
  const separators = Math.max(0, transactions.length - 1)
  let transactionsLength = separators
  let receiptsLength = separators
  let logs = 0
  let gasBefore = 0n
  for (let first = 0; first < transactions.length; first += pageSize) {
    const entries = transactions.slice(first, first + pageSize)
    const room = roomOf(entries)
    const recordsAt = area + blockBytes
    const pageAt = recordsAt + room.records + slack
    const textAt = pageAt + room.page + slack
    const bytes = reserve(textAt + room.page + slack - area)
    writeBlock(bytes, block)
    let at = recordsAt
    for (const entry of entries) {
      at = writeRecord(bytes, at, entry, gasBefore)
      gasBefore = entry.receipt.cumulativeGasUsed
    }
    const take = (length: number): Buffer => {
      const page = Buffer.allocUnsafeSlow(length)
      bytes.copy(page, 0, pageAt, pageAt + length)
      return page
    }
    const count = entries.length
    pages.transactions.push(take(packing.transactionPage(area, recordsAt, count, first, pageAt)))
    transactionsLength += packing.pageTextLength()
    pages.receipts.push(take(packing.receiptPage(area, recordsAt, count, first, logs, pageAt, textAt)))
    receiptsLength += packing.pageTextLength()
    logs += entries.reduce((sum, { receipt }) => sum + receipt.logs.length, 0)
  }
  return { ...pages, logs, transactionsLength, receiptsLength }
}
