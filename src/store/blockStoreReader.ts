import { LRUCache } from 'lru-cache'
import { equalBytes } from '../base/encoding/bytes.ts'
import { fromHex } from '../base/encoding/hex.ts'
import { decodeRlp } from '../base/encoding/rlp.ts'
import { giveBack } from '../base/lentBytes.ts'
import type { LmdbEnvironment, Table } from '../base/lmdb/lmdb.ts'
import { assembleBlock } from '../chain/block/block.ts'
import { decodeHeader, type Header, headerFromFields } from '../chain/block/header.ts'
import type { Receipt } from '../chain/block/receipt.ts'
import { RlpListReader } from '../chain/block/rlpListReader.ts'
import { type Withdrawal, withdrawalFromFields } from '../chain/block/withdrawal.ts'
import { receiptFromJson } from '../chain/json/parseReceipt.ts'
import { AppearanceIndex } from './index/appearances.ts'
import { LogSearch } from './index/logSearch.ts'
import { PostingTable } from './index/postingTable.ts'
import { copyFrame, copyHashes, decodeFrame, type FrameLayout } from './packing/frame.ts'
import {
  copyTexts,
  entrySpan,
  logSpan,
  pageCount,
  pageIndex,
  pageSize,
  type Span,
  textEntry,
} from './packing/pages.ts'
import { ResponseCache, type ResponseKind } from './responseCache.ts'
import { ChainMeta, type StoredHead } from './tables/chainMeta.ts'
import { type ChainTables, openChainTables } from './tables/chainTables.ts'
import { allocateText, copySlice, peek } from './tables/peek.ts'
import {
  asBuffer,
  decodeLocation,
  decodeNumber,
  encodeNonceKey,
  encodeNumberKey,
  encodePageKey,
  type TransactionLocation,
} from './tables/rowKeys.ts'

const hashLength = 32
const headerCacheSize = 256

export interface ReaderOptions {
  /** The size of the cache of large responses, so that a block that many clients request is read once. */
  readonly cacheBytes?: number
}
const openBracket = 0x5b
const closeBracket = 0x5d
const comma = 0x2c

/** The rows of a block as they are stored. */
export interface StoredRows {
  readonly header: Uint8Array
  readonly frame: Uint8Array
  readonly hashes: Uint8Array | undefined
  readonly transactions: readonly Uint8Array[]
  readonly receipts: readonly Uint8Array[]
  readonly raw: readonly Uint8Array[]
  readonly extras: Uint8Array | undefined
}

interface BlockExtras {
  readonly ommers: readonly Header[]
  /** The withdrawals; undefined before Shanghai. */
  readonly withdrawals: readonly Withdrawal[] | undefined
}

/**
 * The stored blocks in the forms in which they are served. Reads are synchronous and return bytes that belong
 * to the caller; undefined means that the store has no such block, transaction or log. Any number of readers
 * may run beside the writer, in this and in other processes; within one turn of the event loop a reader sees
 * one state of the store. Rows are read in lmdb's buffer, which the next read overwrites, so that each is
 * copied before.
 */
export class BlockStoreReader {
  readonly meta: ChainMeta
  /** Searches logs by address and topics. */
  readonly logs: LogSearch
  /** Finds the transactions in which an address has a part. */
  readonly appearances: AppearanceIndex
  protected readonly tables: ChainTables
  /** Decoded headers by number; an entry is valid only while the stored row is the same. */
  readonly #parsed = new LRUCache<number, { readonly row: Uint8Array; readonly header: Header }>({
    max: headerCacheSize,
  })

  /** Cached responses; an entry is valid only while the stored header row is the same. */
  readonly #responses: ResponseCache

  constructor(environment: LmdbEnvironment, options: ReaderOptions = {}) {
    this.#responses = new ResponseCache(options.cacheBytes ?? 16 * 2 ** 20)
    this.tables = openChainTables(environment)
    this.meta = new ChainMeta(this.tables.meta, environment.path)
    this.logs = new LogSearch(new PostingTable(this.tables.logLists), this.tables.receipts)
    this.appearances = new AppearanceIndex(new PostingTable(this.tables.appearances), this.meta, () =>
      this.meta.appearancesFrom(),
    )
  }

  head(): StoredHead | undefined {
    return this.meta.head()
  }

  /** Checks whether body and receipts of a block up to the head are kept; headers always are. */
  isRetained(number: number): boolean {
    return number >= this.meta.oldestBody() || (number === 0 && this.meta.first() === 0)
  }

  /**
   * Returns the first block that is complete: block 0, which is never pruned, if the store starts with it.
   */
  earliest(): number {
    return this.meta.first() === 0 ? 0 : this.meta.oldestBody()
  }

  /** Returns the block from which on no block is missing. */
  oldestComplete(): number {
    const oldest = this.meta.oldestBody()
    return oldest === 1 ? this.earliest() : oldest
  }

  numberOf(blockHash: Uint8Array): number | undefined {
    const row = peek(this.tables.numbers, blockHash)
    return row && decodeNumber(row)
  }

  locate(transactionHash: Uint8Array): TransactionLocation | undefined {
    const row = peek(this.tables.places, transactionHash)
    return row && decodeLocation(row)
  }

  locateBySender(sender: Uint8Array, nonce: bigint): TransactionLocation | undefined {
    const row = peek(this.tables.nonces, encodeNonceKey(sender, nonce))
    return row && decodeLocation(row)
  }

  /** Returns the lowest nonce from `nonce` on with which the chain has a transaction of the sender. */
  firstNonceFrom(sender: Uint8Array, nonce: bigint): bigint | undefined {
    for (const key of this.tables.nonces.getKeys({ start: encodeNonceKey(sender, nonce), limit: 1 }))
      if (equalBytes(key.subarray(0, 20), sender)) return asBuffer(key).readBigUInt64BE(20)
    return undefined
  }

  blockHashAt(number: number): Uint8Array | undefined {
    const row = peek(this.tables.headers, encodeNumberKey(number))
    return row && copySlice(row, 0, hashLength)
  }

  headerRlp(number: number): Uint8Array | undefined {
    const row = peek(this.tables.headers, encodeNumberKey(number))
    return row && copySlice(row, hashLength, row.length)
  }

  header(number: number): Header | undefined {
    const row = peek(this.tables.headers, encodeNumberKey(number))
    if (!row) return undefined
    const known = this.#parsed.get(number)
    if (known && isSameRow(row, known.row)) return known.header
    const bytes = copySlice(row, 0, row.length)
    const header = decodeHeader(bytes.subarray(hashLength))
    this.#parsed.set(number, { row: bytes, header })
    return header
  }

  transactionCount(number: number): number | undefined {
    return this.#frame(number)?.layout.transactions
  }

  logCount(number: number): number | undefined {
    return this.#frame(number)?.layout.logs
  }

  /**
   * Returns the block's JSON, with transactions as objects if `isFull`, otherwise as hashes. It must not be
   * changed.
   */
  blockJson(number: number, isFull: boolean): Uint8Array | undefined {
    return this.#cachedResponse(number, isFull ? 'full' : 'hashes', () => this.#readBlock(number, isFull))
  }

  /** Returns the JSON array of all receipts of a block. It must not be changed. */
  receiptsJson(number: number): Uint8Array | undefined {
    return this.#cachedResponse(number, 'receipts', () => this.#readReceipts(number))
  }

  transactionJson(number: number, index: number): Uint8Array | undefined {
    return this.#text(this.tables.transactions, number, index)
  }

  receiptJson(number: number, index: number): Uint8Array | undefined {
    return this.#text(this.tables.receipts, number, index)
  }

  rawTransaction(number: number, index: number): Uint8Array | undefined {
    const page = peek(this.tables.raw, encodePageKey(number, pageIndex(index)))
    return page && slice(page, entrySpan(page, index % pageSize, 0))
  }

  /** Returns one log of a transaction, by its index in the block. */
  logJson(number: number, transactionIndex: number, logIndex: number): Uint8Array | undefined {
    const page = peek(this.tables.receipts, encodePageKey(number, pageIndex(transactionIndex)))
    return page && slice(page, logSpan(page, logIndex))
  }

  receipts(number: number): Receipt[] | undefined {
    const text = this.receiptsJson(number)
    if (!text) return undefined
    const list = JSON.parse(asBuffer(text).toString()) as Parameters<typeof receiptFromJson>[0][] // written by encodeBlockRows
    return list.map(receiptFromJson)
  }

  rawTransactions(number: number): Uint8Array[] | undefined {
    const count = this.transactionCount(number)
    if (count === undefined) return undefined
    return Array.from({ length: count }, (_, index) => this.rawTransaction(number, index) as Uint8Array) // as counted
  }

  /** Returns the senders of all transactions, which are in their JSON: to recover one takes as long as to read a hundred. */
  senders(number: number): Uint8Array[] | undefined {
    const count = this.transactionCount(number)
    if (count === undefined) return undefined
    const senders: Uint8Array[] = []
    for (let page = 0; page < pageCount(count); page++) {
      const row = peek(this.tables.transactions, encodePageKey(number, page))
      const inPage = Math.min(pageSize, count - page * pageSize)
      for (let entry = 0; entry < inPage; entry++) senders.push(readSender(row && textEntry(row, entry)))
    }
    return senders
  }

  extras(number: number): BlockExtras | undefined {
    const header = this.header(number)
    if (!header || !this.isRetained(number)) return undefined
    const row = peek(this.tables.extras, encodeNumberKey(number))
    const none = header.withdrawalsRoot && []
    if (!row) return { ommers: [], withdrawals: none }
    const fields = new RlpListReader(decodeRlp(copySlice(row, 0, row.length)), 'extras')
    const ommers = fields.list('ommers').map(headerFromFields)
    const withdrawals = fields.list('withdrawals').map(withdrawalFromFields)
    return { ommers, withdrawals: none && withdrawals }
  }

  /** Returns the rows of a block with its body, without reading what they hold. */
  rows(number: number): StoredRows | undefined {
    const { headers, frames, hashes, extras, transactions, receipts, raw } = this.tables
    const key = encodeNumberKey(number)
    const header = headers.get(key)
    const frame = frames.get(key)
    if (!header || !frame) return undefined
    const pages = (table: Table): Uint8Array[] => [
      ...table
        .getRange({ start: encodePageKey(number, 0), end: encodePageKey(number + 1, 0) })
        .map(({ value }) => value),
    ]
    return {
      header,
      frame,
      hashes: hashes.get(key),
      transactions: pages(transactions),
      receipts: pages(receipts),
      raw: pages(raw),
      extras: extras.get(key),
    }
  }

  /** Returns the block's RLP. */
  blockRlp(number: number): Uint8Array | undefined {
    const headerRlp = this.headerRlp(number)
    const rawTransactions = this.rawTransactions(number)
    const extras = this.extras(number)
    return headerRlp && rawTransactions && extras && assembleBlock({ headerRlp, rawTransactions, ...extras })
  }

  #cachedResponse(number: number, kind: ResponseKind, read: () => Uint8Array | undefined) {
    const known = this.#responses.get(number, kind)
    if (known) {
      const row = peek(this.tables.headers, encodeNumberKey(number))
      if (row && isSameRow(row, known.header) && this.isRetained(number)) return known.text
      this.#responses.delete(number, kind)
    }
    const text = read()
    if (text && this.#responses.admits(number, kind, text.length)) {
      const row = peek(this.tables.headers, encodeNumberKey(number))
      if (!row) return text
      // What is kept is not lent.
      const kept = text.slice()
      giveBack(text)
      this.#responses.set(number, kind, { header: copySlice(row, 0, row.length), text: kept })
      return kept
    }
    return text
  }

  #readBlock(number: number, isFull: boolean): Uint8Array | undefined {
    const frame = this.#frame(number)
    if (!frame) return undefined
    const { row, layout } = frame
    const { openLength, closeLength, transactions, transactionsLength } = layout
    // "0x…" and a comma for each hash, less the last comma.
    const hashesLength = Math.max(0, transactions * 69 - 1)
    const length = isFull ? transactionsLength : hashesLength
    const text = allocateText(openLength + length + closeLength)
    copyFrame(row, layout, text)
    if (isFull) this.#copyPages(this.tables.transactions, number, transactions, text, openLength)
    else if (transactions > 0) {
      const hashes = peek(this.tables.hashes, encodeNumberKey(number))
      if (!hashes)
        throw new Error(`block ${number} has ${transactions} transactions, but no list of their hashes`)
      copyHashes(hashes, length, text, openLength)
    }
    return text
  }

  #readReceipts(number: number): Uint8Array | undefined {
    const layout = this.#frame(number)?.layout
    if (!layout) return undefined
    const text = allocateText(layout.receiptsLength + 2)
    text[0] = openBracket
    text[text.length - 1] = closeBracket
    this.#copyPages(this.tables.receipts, number, layout.transactions, text, 1)
    return text
  }

  /** Returns a block's frame. Its row is lmdb's buffer and must be used before the next read. */
  #frame(number: number): { readonly row: Buffer; readonly layout: FrameLayout } | undefined {
    const row = peek(this.tables.frames, encodeNumberKey(number))
    return row && { row, layout: decodeFrame(row) }
  }

  #text(table: Table, number: number, index: number): Uint8Array | undefined {
    const page = peek(table, encodePageKey(number, pageIndex(index)))
    return page && textEntry(page, index % pageSize)
  }

  /** Copies the bodies of all pages, separated by commas. */
  #copyPages(table: Table, number: number, entries: number, target: Uint8Array, start: number): void {
    let at = start
    for (let page = 0; page < pageCount(entries); page++) {
      const row = peek(table, encodePageKey(number, page))
      if (!row) throw new Error(`block ${number} has ${entries} transactions, but page ${page} is missing`)
      if (page > 0) target[at++] = comma
      at = copyTexts(row, target, at)
    }
  }
}

/** Compares whole rows, because with native hashes a block that is written again has the same hash. */
const isSameRow = (row: Buffer, known: Uint8Array): boolean =>
  row.compare(known, 0, known.length, 0, row.length) === 0

const senderMember = Buffer.from('"from":"')
const addressText = 42

/** Reads the sender in the JSON of a transaction. */
const readSender = (json: Uint8Array | undefined): Uint8Array => {
  const text = asBuffer(json ?? new Uint8Array())
  const start = text.indexOf(senderMember) + senderMember.length
  if (start < senderMember.length) throw new Error('a transaction is stored without its sender')
  return fromHex(text.toString('latin1', start, start + addressText))
}

const slice = (row: Buffer, span: Span | undefined): Uint8Array | undefined =>
  span && copySlice(row, span.start, span.end)
