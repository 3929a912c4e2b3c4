import { keccak256 } from '../base/crypto.ts'
import { equalBytes } from '../base/encoding/bytes.ts'
import { toHex } from '../base/encoding/hex.ts'
import type { LmdbEnvironment } from '../base/lmdb.ts'
import { bodyRoots } from '../chain/block/block.ts'
import { mergeBlooms } from '../chain/block/bloom.ts'
import type { Header } from '../chain/block/header.ts'
import { receiptsRoot } from '../chain/block/receipt.ts'
import { decodeTransaction } from '../chain/transaction/decode.ts'
import type { BlockStoreReader } from './blockStoreReader.ts'
import { IndexCheck } from './index/check.ts'
import { toIndexEntries } from './index/indexEntries.ts'
import { asBuffer, type TransactionLocation } from './keys.ts'
import { tableNames } from './tables.ts'

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
  #transactions = 0

  constructor(store: BlockStoreReader, environment: LmdbEnvironment) {
    this.#store = store
    this.#environment = environment
    this.#hasNativeHashes = store.meta.hasForeignHashes()
    const { logLists, appearances } = tableNames
    this.#logLists = new IndexCheck(logLists, environment.table(logLists))
    this.#appearances = new IndexCheck(appearances, environment.table(appearances))
  }

  *run(onBlock: (number: number, head: number) => boolean = () => true): Generator<StoreProblem> {
    const head = this.#store.head()
    if (!head) return
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

  *#problems(number: number, parent: Uint8Array | undefined): Generator<string> {
    try {
      yield* this.#headerProblems(number, parent)
      if (this.#store.isRetained(number)) yield* this.#bodyProblems(number)
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
    }
    for (const [name, count] of Object.entries(expected)) {
      const table = tableNames[name as keyof typeof expected]
      if (rows.get(table) !== count) yield `${table} has ${rows.get(table)} rows, ${count} are in use`
    }
  }
}
