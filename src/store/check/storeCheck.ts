import { keccak256 } from '../../base/crypto/crypto.ts'
import { equalBytes } from '../../base/encoding/bytes.ts'
import { toHex } from '../../base/encoding/hex.ts'
import type { LmdbEnvironment } from '../../base/lmdb/lmdb.ts'
import { bodyRoots } from '../../chain/block/block.ts'
import { mergeBlooms } from '../../chain/block/bloom.ts'
import type { Header } from '../../chain/block/header.ts'
import { receiptsRoot } from '../../chain/block/receipt.ts'
import { type ChainConfig, parseChainConfig } from '../../chain/config/chainConfig.ts'
import { decodeTransaction } from '../../chain/transaction/decode.ts'
import type { BlockStoreReader } from '../blockStoreReader.ts'
import { toIndexEntries } from '../index/indexEntries.ts'
import { NativeBlockReader } from '../nativeRows.ts'
import { pageCount } from '../packing/pages.ts'
import { metaKeys, nativeTableNames, tableNames } from '../tables/chainTables.ts'
import { asBuffer, type TransactionLocation } from '../tables/rowKeys.ts'
import { IndexCheck } from './indexCheck.ts'
import { NativeIndexCheck } from './nativeIndexCheck.ts'
import { findDifferingRows } from './rowCheck.ts'

/** One problem, and its block. */
export interface StoreProblem {
  readonly number: number
  readonly problem: string
}

interface BlockMembers {
  readonly hash: string
  readonly number: string
  readonly transactions: readonly { readonly hash: string; readonly from: string; readonly nonce: string }[]
}

const parse = (bytes: Uint8Array): unknown => JSON.parse(asBuffer(bytes).toString())

const isLocatedAt = (location: TransactionLocation | undefined, number: number, index: number): boolean =>
  location?.number === number && location.index === index

/** The newest blocks that are checked however many transactions they have: the head and what it was built on. */
const minNewestBlocks = 2

/**
 * Checks every block that is kept: links, roots, indexes, and that all forms of a block agree. Yields
 * problems as it finds them; `onBlock` is called before each block and may stop the check by returning false.
 */
export class StoreCheck {
  readonly #store: BlockStoreReader
  readonly #environment: LmdbEnvironment
  readonly #logLists: IndexCheck
  readonly #appearances: IndexCheck
  readonly #hasNativeHashes: boolean
  readonly #config: ChainConfig | undefined
  readonly #native: NativeBlockReader | undefined
  readonly #nativeIndex: NativeIndexCheck | undefined
  /** The block of a remote chain with which the chain begins, whose transactions are not here. */
  readonly #forkBlock: number | undefined
  #transactions = 0
  #newestBlocks = 0
  /** The rows of tables that have some for each block or only for some. */
  #pages = 0
  #hashLists = 0
  #extras = 0
  #nativeBlocks = 0

  constructor(store: BlockStoreReader, environment: LmdbEnvironment) {
    this.#store = store
    this.#environment = environment
    this.#hasNativeHashes = store.meta.hasForeignHashes()
    this.#config = readConfig(store)
    this.#native = environment.hasTable(nativeTableNames.facts)
      ? new NativeBlockReader(environment)
      : undefined
    this.#nativeIndex = environment.hasTable(nativeTableNames.lists)
      ? new NativeIndexCheck(environment, store.meta)
      : undefined
    this.#forkBlock = store.meta.fork() === undefined ? undefined : store.meta.first()
    const { logLists, appearances } = tableNames
    this.#logLists = new IndexCheck(logLists, environment.table(logLists))
    this.#appearances = new IndexCheck(appearances, environment.table(appearances))
  }

  *run(onBlock: (number: number, head: number) => boolean = () => true): Generator<StoreProblem> {
    const head = this.#store.head()
    if (!head) return
    if (!this.#store.meta.isIntact())
      yield { number: head.number, problem: `the rows of ${tableNames.meta} are not as they were written` }
    const genesis = this.#store.meta.genesisHash()
    const first = this.#store.meta.first()
    const hashOfFirst = this.#store.blockHashAt(first)
    if (!genesis || !hashOfFirst || (first === 0 && !equalBytes(genesis, hashOfFirst)))
      yield { number: first, problem: 'the first block is not the genesis that the store names' }
    let parent: Uint8Array | undefined
    const firstHeader = this.#store.meta.firstHeader()
    for (let number = first; number <= head.number; number++) {
      if (number > 0 && number < firstHeader) {
        // The blocks before the snapshot at which the chain starts here were never known.
        number = firstHeader
        parent = undefined
      }
      if (!onBlock(number, head.number)) return
      const hash = this.#store.blockHashAt(number)
      for (const problem of this.#problems(number, parent)) yield { number, problem }
      parent = hash
    }
    if (!parent || !equalBytes(parent, head.hash))
      yield { number: head.number, problem: `the head is ${toHex(head.hash)}, its header has another hash` }
    for (const problem of this.#countProblems(head.number)) yield { number: head.number, problem }
    for (const problem of this.#indexProblems(head.number)) yield { number: head.number, problem }
  }

  /**
   * Checks the newest blocks, at most `blocks`, each as `run` does; after two of them no further one if they have more than
   * `transactions`. The indexes as a whole are left out.
   */
  *newest(blocks: number, transactions: number): Generator<StoreProblem> {
    const { meta } = this.#store
    const head = this.#store.head()
    if (!head) return
    if (!meta.isIntact())
      yield { number: head.number, problem: `the rows of ${tableNames.meta} are not as they were written` }
    const lowest = Math.max(meta.first(), meta.firstHeader(), head.number - blocks + 1)
    let expected: Uint8Array | undefined = head.hash
    for (let number = head.number; number >= lowest; number--) {
      if (this.#newestBlocks >= minNewestBlocks && this.#transactions > transactions) return
      const hash = this.#store.blockHashAt(number)
      if (!hash || !expected || !equalBytes(hash, expected))
        yield { number, problem: 'it is not the parent of the block after it' }
      for (const problem of this.#problems(number, undefined)) yield { number, problem }
      expected = this.#parentOf(number)
      this.#newestBlocks++
    }
  }

  /** The number of blocks that `newest` has checked. */
  get newestBlocks(): number {
    return this.#newestBlocks
  }

  #parentOf(number: number): Uint8Array | undefined {
    try {
      return this.#store.header(number)?.parentHash
    } catch {
      return undefined
    }
  }

  *#problems(number: number, parent: Uint8Array | undefined): Generator<string> {
    try {
      yield* this.#headerProblems(number, parent)
      if (this.#store.isRetained(number) && number !== this.#forkBlock) yield* this.#bodyProblems(number)
      if (this.#native) yield* this.#nativeProblems(number, this.#native)
    } catch (error) {
      yield `a row cannot be read: ${(error as Error).message}`
    }
  }

  *#headerProblems(number: number, parent: Uint8Array | undefined): Generator<string> {
    const hash = this.#store.blockHashAt(number)
    const rlp = this.#store.headerRlp(number)
    if (!hash || !rlp) return yield 'there is no header'
    if (!this.#hasNativeHashes && !equalBytes(keccak256(rlp), hash))
      yield 'the header does not have the hash it is kept with'
    if (this.#store.numberOf(hash) !== number) yield 'its hash does not lead to it'
    const header = this.#store.header(number) as Header // its row was just read
    if (header.number !== BigInt(number)) yield `its header says number ${header.number}`
    if (parent && !equalBytes(header.parentHash, parent)) yield 'its parent is not the block before it'
  }

  *#bodyProblems(number: number): Generator<string> {
    const store = this.#store
    const header = store.header(number)
    const full = store.blockJson(number, true)
    const short = store.blockJson(number, false)
    const raw = store.rawTransactions(number)
    const extras = store.extras(number)
    if (!header || !full || !short || !raw || !extras) return yield 'its body is missing'
    const { transactions, ...members } = parse(full) as BlockMembers
    const { transactions: hashes, ...shortMembers } = parse(short) as { transactions: readonly string[] }
    if (JSON.stringify(members) !== JSON.stringify(shortMembers)) yield 'its two forms differ'
    if (transactions.length !== raw.length || hashes.length !== raw.length)
      return yield 'its forms have different numbers of transactions'
    this.#transactions += raw.length
    this.#pages += pageCount(raw.length)
    if (raw.length > 0) this.#hashLists++
    if (extras.ommers.length + (extras.withdrawals?.length ?? 0) > 0) this.#extras++
    const body = raw.map((bytes) => ({ transaction: decodeTransaction(bytes), raw: bytes }))
    for (const [name, root] of Object.entries(bodyRoots({ ...extras, transactions: body })))
      if (root && !equalBytes(root, header[name as 'transactionsRoot'])) yield `its ${name} is wrong`
    for (const [index, bytes] of raw.entries()) {
      const { hash, from, nonce } = transactions[index] as BlockMembers['transactions'][number] // counted above
      const name = `transaction ${index}`
      const computed = keccak256(bytes)
      if (toHex(computed) !== hash || hashes[index] !== hash) yield `${name} has another hash`
      if (!isLocatedAt(store.locate(computed), number, index)) yield `the hash of ${name} does not lead to it`
      const sender = Buffer.from(from.slice(2), 'hex')
      if (!isLocatedAt(store.locateBySender(sender, BigInt(nonce)), number, index))
        yield `sender and nonce of ${name} do not lead to it`
    }
    yield* this.#receiptProblems(number, header, raw.length)
    // A gateway's blocks are converted from other data, which is not kept.
    if (!this.#hasNativeHashes) yield* findDifferingRows(store, number, this.#config)
  }

  *#nativeProblems(number: number, native: NativeBlockReader): Generator<string> {
    const block = native.block(number)
    if (!block) return
    this.#nativeBlocks++
    if (this.#nativeIndex) yield* this.#nativeIndex.block(number)
    if (native.numberOf(block.hash) !== number) yield 'the hash of its native block does not lead to it'
    for (const hash of block.transactions)
      if (native.locate(hash) === undefined) yield 'a native transaction is not found by its hash'
  }

  *#receiptProblems(number: number, header: Header, count: number): Generator<string> {
    const receipts = this.#store.receipts(number)
    if (!receipts || receipts.length !== count) return yield 'it does not have a receipt for each transaction'
    if (!equalBytes(receiptsRoot(receipts), header.receiptsRoot)) yield 'its receiptsRoot is wrong'
    const bloom = mergeBlooms(receipts.map(({ logsBloom }) => logsBloom))
    if (!equalBytes(bloom, header.logsBloom)) yield 'its logsBloom is wrong'
    let logIndex = 0
    for (const [index, { logs }] of receipts.entries())
      for (const _ of logs) {
        const log = this.#store.logJson(number, index, logIndex)
        const found = log && (parse(log) as { logIndex: string; transactionIndex: string })
        if (Number(found?.logIndex) !== logIndex || Number(found?.transactionIndex) !== index)
          yield `log ${logIndex} is not where it should be`
        logIndex++
      }
    if (this.#store.logCount(number) !== logIndex) yield 'its number of logs is wrong'
    const entries = toIndexEntries(number, this.#store.receiptsJson(number) as Uint8Array) // read above
    yield* this.#logLists.block(entries.logLists)
    if (number >= this.#appearancesFrom()) yield* this.#appearances.block(entries.appearances)
  }

  /** Returns the first block that the appearance index covers. */
  #appearancesFrom(): number {
    return this.#store.appearances.from() ?? Number.POSITIVE_INFINITY
  }

  *#indexProblems(head: number): Generator<string> {
    try {
      yield* this.#logLists.rest(0, head)
      yield* this.#appearances.rest(this.#appearancesFrom(), head)
      if (this.#nativeIndex) yield* this.#nativeIndex.rest()
    } catch (error) {
      yield `an index cannot be read: ${(error as Error).message}`
    }
  }

  *#countProblems(head: number): Generator<string> {
    const rows = new Map(this.#environment.stats().map((table) => [table.name, table.rows]))
    const first = this.#store.meta.first()
    const headers = head + 1 - first - Math.max(0, this.#store.meta.firstHeader() - 1)
    const expected = {
      headers,
      numbers: headers,
      frames: head + 1 - this.#store.meta.oldestBody() + (first === 0 ? 1 : 0),
      places: this.#transactions,
      nonces: this.#transactions,
      transactions: this.#pages,
      receipts: this.#pages,
      raw: this.#pages,
      hashes: this.#hashLists,
      extras: this.#extras,
      meta:
        Object.values(metaKeys).filter((key) => this.#environment.table(tableNames.meta).doesExist(key))
          .length + this.#store.meta.snapshots.count(),
    }
    for (const [name, count] of Object.entries(expected)) {
      const table = tableNames[name as keyof typeof expected]
      if (rows.get(table) !== count) yield `${table} has ${rows.get(table)} rows, ${count} are in use`
    }
    for (const table of [nativeTableNames.facts, nativeTableNames.numbers])
      if (this.#native && rows.get(table) !== this.#nativeBlocks)
        yield `${table} has ${rows.get(table)} rows, ${this.#nativeBlocks} are in use`
  }
}

/** Returns the rules of the chain; undefined if they cannot be read, which the digest of the rows tells. */
const readConfig = (store: BlockStoreReader): ChainConfig | undefined => {
  try {
    return parseChainConfig(JSON.parse(store.meta.config() ?? '{}'))
  } catch {
    return undefined
  }
}
