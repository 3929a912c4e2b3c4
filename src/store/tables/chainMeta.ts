import { keccak256 } from '../../base/crypto/crypto.ts'
import { equalBytes } from '../../base/encoding/bytes.ts'
import type { Table } from '../../base/lmdb/lmdb.ts'
import { digestSchema, laterMetaKeys, metaKeys, oldestSchema, schema } from './chainTables.ts'
import { peek } from './peek.ts'
import { asBuffer, decodeNumber, encodeNumberKey } from './rowKeys.ts'
import { type SnapshotRow, SnapshotRows } from './snapshotRows.ts'

export interface StoredHead {
  readonly number: number
  readonly hash: Uint8Array
}

/** The start of a store. */
interface StoreStart {
  readonly first: number
  readonly hasNativeHashes: boolean
}

/** The error for a store that cannot be used as it is; the message is one line for the operator. */
export class StoreError extends Error {
  override readonly name = 'StoreError'
}

/** Which snapshots of a dev chain came and went. */
export interface DevSnapshotChanges {
  readonly added: readonly SnapshotRow[]
  readonly removed: readonly number[]
}

/** What dev methods set and a restart keeps. */
export interface DevRecord {
  /** As JSON. */
  readonly settings: string
  readonly snapshots: DevSnapshotChanges
}

/**
 * The rows about the store as a whole: its chain, its head and its oldest blocks. Setters must be called
 * inside a transaction.
 */
export class ChainMeta {
  /** The snapshots of a dev chain. */
  readonly snapshots: SnapshotRows
  readonly #table: Table
  /** Whether the digest is written at the end of what changes several rows. */
  #isSealedLater = false

  constructor(table: Table, path: string) {
    this.#table = table
    this.snapshots = new SnapshotRows(table)
    const found = table.get(metaKeys.schema)?.[0]
    if (found !== undefined && (found > schema || found < oldestSchema))
      throw new StoreError(
        `${path} has blocks of schema ${found}; this program reads ${schema}${found > schema ? ' and is older than the one that wrote them' : ''}`,
      )
  }

  /** Returns the schema of a store that an older version wrote; undefined for a store of this one, or an empty one. */
  olderSchema(): number | undefined {
    const found = this.#table.get(metaKeys.schema)?.[0]
    return found === undefined || found === schema ? undefined : found
  }

  /** Returns the genesis hash; undefined if nothing was ever written. */
  genesisHash(): Uint8Array | undefined {
    return this.#table.get(metaKeys.genesis)
  }

  /** Returns geth's config object as JSON. */
  config(): string | undefined {
    const row = this.#table.get(metaKeys.config)
    return row && asBuffer(row).toString()
  }

  /** Sets the config, for rules that start above the head. */
  setConfig(config: string): void {
    this.#put(metaKeys.config, Buffer.from(config))
  }

  /** Returns whether the rows are as they were written, as far as a digest tells. */
  isIntact(): boolean {
    if (!this.snapshots.areIntact()) return false
    const digest = this.#table.get(metaKeys.digest)
    return digest === undefined
      ? (this.#table.get(metaKeys.schema)?.[0] ?? 0) < digestSchema
      : equalBytes(digest, this.#digest())
  }

  initialize(genesisHash: Uint8Array, config: string, start: StoreStart): void {
    this.#put(metaKeys.schema, Uint8Array.of(schema))
    this.#put(metaKeys.genesis, genesisHash)
    this.setConfig(config)
    if (start.first > 0) {
      this.#put(metaKeys.first, encodeNumberKey(start.first))
      this.setOldest(start.first)
    }
    if (start.hasNativeHashes) this.#put(metaKeys.foreignHashes, Uint8Array.of(1))
  }

  /** Returns the first block whose header is stored. */
  first(): number {
    const row = peek(this.#table, metaKeys.first)
    return row ? decodeNumber(row) : 0
  }

  /** Returns whether block hashes are not the hashes of the headers. */
  hasForeignHashes(): boolean {
    return this.#table.get(metaKeys.foreignHashes) !== undefined
  }

  head(): StoredHead | undefined {
    const row = this.#table.get(metaKeys.head)
    return row && { number: decodeNumber(row), hash: row.subarray(6) }
  }

  setHead({ number, hash }: StoredHead): void {
    this.#put(metaKeys.head, Buffer.concat([encodeNumberKey(number), hash]))
  }

  /** Returns the oldest block, beside block 0, whose body and receipts are kept. */
  oldestBody(): number {
    const row = peek(this.#table, metaKeys.oldest)
    return row ? decodeNumber(row) : 1
  }

  setOldest(number: number): void {
    this.#put(metaKeys.oldest, encodeNumberKey(number))
  }

  /** Returns the oldest header that is kept beside the first block's; zero if none is missing. */
  firstHeader(): number {
    const row = this.#table.get(metaKeys.firstHeader)
    return row ? decodeNumber(row) : 0
  }

  setFirstHeader(number: number): void {
    if (number === 0) this.#remove(metaKeys.firstHeader)
    else this.#put(metaKeys.firstHeader, encodeNumberKey(number))
  }

  /**
   * Returns the first block from which on all blocks are in the appearance index; undefined if it is not
   * kept.
   */
  appearancesFrom(): number | undefined {
    return this.#number(metaKeys.appearances)
  }

  setAppearancesFrom(number: number | undefined): void {
    this.#setNumber(metaKeys.appearances, number)
  }

  /** Returns the first block from which on the logs of all Cosmos transactions are indexed; undefined if none are. */
  nativeLogsFrom(): number | undefined {
    return this.#number(metaKeys.nativeLogs)
  }

  setNativeLogsFrom(number: number | undefined): void {
    this.#setNumber(metaKeys.nativeLogs, number)
  }

  /** Returns the first block from which on the appearances in all Cosmos transactions are indexed. */
  nativeAppearancesFrom(): number | undefined {
    return this.#number(metaKeys.nativeAppearances)
  }

  setNativeAppearancesFrom(number: number | undefined): void {
    this.#setNumber(metaKeys.nativeAppearances, number)
  }

  enginePosition(): Uint8Array | undefined {
    return this.#table.get(metaKeys.engine)
  }

  setEnginePosition(position: Uint8Array): void {
    this.#put(metaKeys.engine, position)
  }

  /**
   * Returns the first block that does not follow from its parent by Ethereum's rules alone, because dev methods changed the
   * state or the block itself; undefined if there is none. It may be the block after the head.
   */
  modifiedFrom(): number | undefined {
    return this.#number(metaKeys.modified)
  }

  setModifiedFrom(number: number | undefined): void {
    this.#setNumber(metaKeys.modified, number)
  }

  /** Returns the settings of dev methods, as JSON. */
  devSettings(): string | undefined {
    const row = this.#table.get(metaKeys.dev)
    return row && asBuffer(row).toString()
  }

  /** Stores what dev methods set. */
  setDev({ settings, snapshots }: DevRecord): void {
    for (const id of snapshots.removed) this.snapshots.remove(id)
    for (const row of snapshots.added) this.snapshots.put(row)
    this.#put(metaKeys.dev, Buffer.from(settings))
  }

  /** Returns the remote block that the chain was forked from, as JSON; undefined if it was not forked. */
  fork(): string | undefined {
    const row = this.#table.get(metaKeys.fork)
    return row && asBuffer(row).toString()
  }

  setFork(fork: string): void {
    this.#put(metaKeys.fork, Buffer.from(fork))
  }

  #number(key: Uint8Array): number | undefined {
    const row = this.#table.get(key)
    return row && decodeNumber(row)
  }

  #setNumber(key: Uint8Array, number: number | undefined): void {
    if (number === undefined) this.#remove(key)
    else this.#put(key, encodeNumberKey(number))
  }

  #put(key: Uint8Array, value: Uint8Array): void {
    this.#table.put(key, value)
    this.#seal()
  }

  #remove(key: Uint8Array): void {
    this.#table.remove(key)
    this.#seal()
  }

  /** Runs what changes several rows, and writes the digest once, after them. */
  sealOnce(change: () => void): void {
    this.#isSealedLater = true
    try {
      change()
    } finally {
      this.#isSealedLater = false
    }
    this.#seal()
  }

  /** Writes the digest, and with it the schema from which on there is one. */
  #seal(): void {
    if (this.#isSealedLater) return
    if (this.#table.get(metaKeys.schema)?.[0] !== schema)
      this.#table.put(metaKeys.schema, Uint8Array.of(schema))
    this.#table.put(metaKeys.digest, this.#digest())
  }

  #digest(): Uint8Array {
    const parts: Uint8Array[] = []
    for (const key of Object.values(metaKeys)) {
      if (key === metaKeys.digest) continue
      const value = this.#table.get(key)
      if (value === undefined && laterMetaKeys.includes(key)) continue
      const length = Buffer.alloc(4)
      length.writeInt32BE(value ? value.length : -1)
      parts.push(key, length, value ?? noBytes)
    }
    return keccak256(Buffer.concat(parts))
  }
}

const noBytes = new Uint8Array(0)
