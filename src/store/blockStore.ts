import { keccak256 } from '../base/crypto/crypto.ts'
import { concatBytes, equalBytes } from '../base/encoding/bytes.ts'
import { fromHex, toHex } from '../base/encoding/hex.ts'
import type { LmdbEnvironment } from '../base/lmdb/lmdb.ts'
import type { BlockRows } from './blockRows.ts'
import { BlockStoreReader, type ReaderOptions } from './blockStoreReader.ts'
import { toIndexEntries } from './index/indexEntries.ts'
import { NativeIndex } from './index/nativeIndex.ts'
import { PostingTable } from './index/postingTable.ts'
import { NativeBlockStore } from './nativeRows.ts'
import { pageCount } from './packing/pages.ts'
import { StoreError } from './tables/chainMeta.ts'
import { openNativeTables } from './tables/chainTables.ts'
import { asBuffer, encodeLocation, encodeNonceKey, encodeNumberKey, encodePageKey } from './tables/rowKeys.ts'

/** The members of a transaction's JSON from which its index rows are made. */
interface IndexedMembers {
  readonly hash: string
  readonly from: string
  readonly nonce: string
}

export interface StoreOptions extends ReaderOptions {
  /** The hash of the expected chain; a store of another one is rejected. */
  readonly genesisHash?: Uint8Array
  /** Whether the appearance index is kept; true by default. */
  readonly appearances?: boolean
}

/** The start of a chain that is not stored from block 0 on. */
export interface StoreGenesis {
  /** The hash of block 0, or of the first stored block if it is not known. */
  readonly genesisHash?: Uint8Array
  /** Whether block hashes are not the hashes of the headers. */
  readonly hasNativeHashes?: boolean
}

/** The keys of the posting lists in which blocks have entries. */
interface TouchedLists {
  readonly logs: Map<string, Uint8Array>
  readonly appearances: Map<string, Uint8Array>
}

/**
 * The blocks of one chain. The methods that write must be called inside `environment.transact`, together with
 * the other rows of the block, so that all of it is written or nothing is.
 */
export class BlockStore extends BlockStoreReader {
  readonly #path: string
  readonly #keepsAppearances: boolean
  readonly #logLists: PostingTable
  readonly #appearanceLists: PostingTable
  readonly #native: NativeBlockStore
  readonly #nativeIndex: NativeIndex

  constructor(environment: LmdbEnvironment, options: StoreOptions = {}) {
    super(environment, options)
    this.#path = environment.path
    this.#keepsAppearances = options.appearances ?? true
    this.#logLists = new PostingTable(this.tables.logLists)
    this.#appearanceLists = new PostingTable(this.tables.appearances)
    this.#native = new NativeBlockStore(environment)
    this.#nativeIndex = new NativeIndex(openNativeTables(environment), this.meta)
    const found = this.meta.genesisHash()
    if (found && options.genesisHash && !equalBytes(found, options.genesisHash))
      throw new StoreError(
        `${this.#path} has the chain of genesis ${toHex(found)}, not ${toHex(options.genesisHash)}`,
      )
  }

  /**
   * Writes the first block of an empty store, which may have any number, with geth's config object as JSON.
   */
  initialize(first: BlockRows, config: string, origin: StoreGenesis = {}): void {
    if (this.meta.genesisHash()) throw new StoreError(`${this.#path} has a chain already`)
    const { genesisHash = first.hash, hasNativeHashes = false } = origin
    this.meta.initialize(genesisHash, config, { first: first.number, hasNativeHashes })
    this.#put(first)
  }

  /**
   * Continues at a block far above the first, with the headers just before it as RLP, oldest first, because
   * nothing older of this chain is known. The store must have only the first block.
   */
  startAtSnapshot(rows: BlockRows, headersBefore: readonly Uint8Array[]): void {
    const head = this.meta.head()
    if (head?.number !== 0) throw new StoreError(`${this.#path} has blocks already`)
    const firstHeader = rows.number - headersBefore.length
    if (firstHeader < 1)
      throw new RangeError(`block ${rows.number} has ${headersBefore.length} headers before it`)
    let parent = firstHeader === 1 ? head.hash : undefined
    for (const [index, rlp] of headersBefore.entries()) {
      parent = keccak256(rlp)
      this.#putHeader(firstHeader + index, parent, concatBytes(parent, rlp))
    }
    if (parent && !equalBytes(rows.parentHash, parent))
      throw new Error(`block ${rows.number} does not follow the headers before it`)
    this.meta.setFirstHeader(firstHeader)
    this.meta.setOldest(rows.number)
    this.#put(rows)
  }

  /** Whether the chain starts at a snapshot above its first block and has no later block yet. */
  get isAtSnapshotStart(): boolean {
    const head = this.meta.head()
    return this.meta.firstHeader() > 0 && this.meta.oldestBody() === head?.number
  }

  /**
   * Reverts a start at a snapshot after which no block came, so that the store has only the first block
   * again.
   */
  revertSnapshotStart(): void {
    const head = this.meta.head()
    const first = this.blockHashAt(0)
    if (head === undefined || head.number === 0) return
    if (!this.isAtSnapshotStart || first === undefined)
      throw new StoreError(`${this.#path} has blocks already`)
    this.#removeFrom(head.number)
    for (let number = this.meta.firstHeader(); number < head.number; number++) this.#removeHeader(number)
    this.meta.setFirstHeader(0)
    this.meta.setOldest(1)
    this.meta.setHead({ number: 0, hash: first })
  }

  /** Writes the block after the head. */
  write(rows: BlockRows): void {
    const head = this.meta.head()
    if (!head) throw new Error('the first block was not written')
    if (rows.number !== head.number + 1 || !equalBytes(rows.parentHash, head.hash))
      throw new Error(`block ${rows.number} does not follow ${head.number} ${toHex(head.hash)}`)
    this.#put(rows)
  }

  /** Removes everything, so that another chain can be begun. */
  clear(): void {
    for (const table of Object.values(this.tables)) table.clearSync()
  }

  /** Replaces the head by another version of the same block, because the first one was wrong. */
  replaceHead(rows: BlockRows): void {
    const head = this.meta.head()
    const parent = head && this.header(head.number)?.parentHash
    if (!head || !parent || rows.number !== head.number || !equalBytes(rows.parentHash, parent))
      throw new Error(`block ${rows.number} cannot replace the head ${head?.number}`)
    this.#removeFrom(head.number)
    this.#put(rows)
  }

  /** Reverts every block above `height`; the cost depends on the rows that are removed. */
  revertTo(height: number): void {
    const head = this.meta.head()
    if (!head || height >= head.number) return
    const hash = this.blockHashAt(height)
    if (!hash || !this.isRetained(height)) throw new RangeError(`block ${height} is not kept`)
    this.#removeFrom(height + 1)
    this.meta.setHead({ number: height, hash })
  }

  /**
   * Prunes bodies, receipts and index entries of blocks below `height`: at most `limit` blocks at once, and none after those
   * that have `maxTransactions` together. Block 0, headers and hashes stay. Returns the oldest block that is kept now, which
   * is below `height` if there is more to do.
   */
  pruneBelow(height: number, limit: number, maxTransactions = Number.POSITIVE_INFINITY): number {
    const oldest = this.meta.oldestBody()
    const head = this.meta.head()
    const last = Math.min(height, head?.number ?? 0, oldest + limit)
    if (last <= oldest) return oldest
    const touched: TouchedLists = { logs: new Map(), appearances: new Map() }
    let transactions = 0
    let end = oldest
    for (; end < last && transactions < maxTransactions; end++) {
      transactions += this.transactionCount(end) ?? 0
      this.#touchLists(end, touched)
      this.#removeBody(end)
      this.#native.removeBody(end)
    }
    for (const key of touched.logs.values()) this.#logLists.removeBelow(key, end)
    for (const key of touched.appearances.values()) this.#appearanceLists.removeBelow(key, end)
    this.#nativeIndex.removeBelow(oldest, end)
    this.meta.setOldest(end)
    return end
  }

  #put(rows: BlockRows): void {
    const { tables } = this
    const { number } = rows
    const key = encodeNumberKey(number)
    this.#putHeader(number, rows.hash, rows.header)
    tables.frames.put(key, rows.frame)
    if (rows.hashes) tables.hashes.put(key, rows.hashes)
    if (rows.extras) tables.extras.put(key, rows.extras)
    for (const [page, row] of rows.transactions.entries())
      tables.transactions.put(encodePageKey(number, page), row)
    for (const [page, row] of rows.receipts.entries()) tables.receipts.put(encodePageKey(number, page), row)
    for (const [page, row] of rows.raw.entries()) tables.raw.put(encodePageKey(number, page), row)
    for (const [index, { hash, sender, nonce }] of rows.index.entries()) {
      const location = encodeLocation({ number, index })
      tables.places.put(hash, location)
      tables.nonces.put(encodeNonceKey(sender, nonce), location)
    }
    for (const entry of rows.logLists) this.#logLists.append(entry)
    this.#putAppearances(rows)
    if (!rows.native) return
    this.#native.put(number, rows.native)
    this.#nativeIndex.put(number, rows.native.index, this.#keepsAppearances)
  }

  #putHeader(number: number, hash: Uint8Array, row: Uint8Array): void {
    this.tables.headers.put(encodeNumberKey(number), row)
    this.tables.numbers.put(hash, encodeNumberKey(number))
    this.meta.setHead({ number, hash })
  }

  /** Removes the blocks from a height on; the caller sets the head. */
  #removeFrom(from: number): void {
    const touched: TouchedLists = { logs: new Map(), appearances: new Map() }
    const oldest = this.meta.oldestBody()
    const head = this.meta.head()?.number ?? -1
    for (let number = head; number >= from; number--) {
      // A chain that goes back to its first block may have lost the bodies of those that follow.
      if (this.isRetained(number)) {
        this.#touchLists(number, touched)
        this.#removeBody(number)
      }
      this.#native.remove(number)
      this.#removeHeader(number)
    }
    for (const key of touched.logs.values()) this.#logLists.removeAbove(key, from - 1)
    for (const key of touched.appearances.values()) this.#appearanceLists.removeAbove(key, from - 1)
    this.#nativeIndex.removeFrom(Math.max(from, oldest), head)
    if (oldest > from) this.meta.setOldest(Math.max(1, from))
    const first = this.meta.appearancesFrom()
    if (first !== undefined && first > from) this.meta.setAppearancesFrom(from)
  }

  #putAppearances({ number, appearances }: BlockRows): void {
    const from = this.meta.appearancesFrom()
    if (!this.#keepsAppearances) {
      if (from !== undefined) this.meta.setAppearancesFrom(undefined)
      return
    }
    if (from === undefined) this.meta.setAppearancesFrom(number)
    for (const entry of appearances) this.#appearanceLists.append(entry)
  }

  /**
   * Adds the keys of the lists in which a block has entries; also those of appearances, because the index may
   * have been kept when the block was written.
   */
  #touchLists(number: number, { logs, appearances }: TouchedLists): void {
    const text = this.receiptsJson(number)
    if (!text) throw new Error(`block ${number} has no receipts`)
    const entries = toIndexEntries(number, text)
    for (const { key } of entries.logLists) logs.set(toHex(key), key)
    for (const { key } of entries.appearances) appearances.set(toHex(key), key)
  }

  #removeHeader(number: number): void {
    const hash = this.blockHashAt(number)
    if (hash) this.tables.numbers.remove(hash)
    this.tables.headers.remove(encodeNumberKey(number))
  }

  #removeBody(number: number): void {
    const { tables } = this
    const count = this.transactionCount(number) ?? 0
    for (let index = 0; index < count; index++) {
      const text = this.transactionJson(number, index)
      if (!text) throw new Error(`block ${number} has no transaction ${index}`)
      const { hash, from, nonce } = JSON.parse(asBuffer(text).toString()) as IndexedMembers // written by encodeBlockRows
      // A chain behind a gateway may have the same transaction again, in a later block, where it is found then.
      if (this.locate(fromHex(hash))?.number === number) tables.places.remove(fromHex(hash))
      const [sender, sent] = [fromHex(from), BigInt(nonce)]
      if (this.locateBySender(sender, sent)?.number === number)
        tables.nonces.remove(encodeNonceKey(sender, sent))
    }
    for (let page = 0; page < pageCount(count); page++) {
      const key = encodePageKey(number, page)
      tables.transactions.remove(key)
      tables.receipts.remove(key)
      tables.raw.remove(key)
    }
    const key = encodeNumberKey(number)
    tables.frames.remove(key)
    tables.hashes.remove(key)
    tables.extras.remove(key)
  }
}
