import { concatBytes } from '../base/encoding/bytes.ts'
import type { LmdbEnvironment } from '../base/lmdb/lmdb.ts'
import { syntheticHash } from '../chain/block/syntheticHash.ts'
import type { NativeIndexEntries } from './index/nativeIndex.ts'
import { type NativeRowTables, openNativeRowTables } from './tables/chainTables.ts'
import { copySlice, peek, rowFrom } from './tables/peek.ts'
import {
  asBuffer,
  decodeLocation,
  decodeNumber,
  encodeLocation,
  encodeNumberKey,
  type TransactionLocation,
} from './tables/rowKeys.ts'

/** The rows that a gateway keeps of a native block, beside the block to which it was converted. */
export interface NativeRows {
  /** The hash of the native block. */
  readonly hash: Uint8Array
  /** The transactions in their order in the native block. */
  readonly transactions: readonly {
    readonly hash: Uint8Array
    readonly hasFailed: boolean
    /** Whether it holds no Ethereum transaction, so that it is found by its synthetic hash too. */
    readonly isCosmos?: boolean
  }[]
  /** The gateway's information about the block, in its encoding. */
  readonly info: Uint8Array
  /** The entries of its Cosmos transactions in the native index; undefined if they are not known. */
  readonly index?: NativeIndexEntries
}

export interface StoredNativeBlock {
  readonly hash: Uint8Array
  /** The hashes of the native transactions. */
  readonly transactions: readonly Uint8Array[]
  /** The gateway's information; empty if the block's body was pruned. */
  readonly info: Uint8Array
}

const hashLength = 32

/** hash of the native block ‖ number of its transactions (4 bytes, little-endian) ‖ their hashes ‖ info */
const encodeRow = ({ hash, transactions, info }: StoredNativeBlock): Uint8Array => {
  const count = Buffer.alloc(4)
  count.writeUInt32LE(transactions.length)
  return concatBytes(hash, count, ...transactions, info)
}

const hashesStart = hashLength + 4

const infoStart = (row: Uint8Array): number =>
  hashesStart + hashLength * asBuffer(row).readUInt32LE(hashLength)

const decodeRow = (row: Uint8Array): StoredNativeBlock => {
  const start = hashesStart
  const end = infoStart(row)
  const transactions: Uint8Array[] = []
  for (let at = start; at < end; at += hashLength) transactions.push(row.subarray(at, at + hashLength))
  return { hash: row.subarray(0, hashLength), transactions, info: row.subarray(end) }
}

/** The native data of blocks. Methods return undefined if there is none. */
export class NativeBlockReader {
  protected readonly tables: NativeRowTables

  constructor(environment: LmdbEnvironment) {
    this.tables = openNativeRowTables(environment)
  }

  block(number: number): StoredNativeBlock | undefined {
    const row = this.tables.facts.get(encodeNumberKey(number))
    return row && decodeRow(row)
  }

  /** Returns the hash of the native block; the rest of the row is not decoded. */
  hashAt(number: number): Uint8Array | undefined {
    const row = peek(this.tables.facts, encodeNumberKey(number))
    return row && copySlice(row, 0, hashLength)
  }

  /** Returns what the information has before the first `mark`, all of it if that is not there: the rest is not copied. */
  infoBefore(number: number, mark: Uint8Array): Uint8Array | undefined {
    const row = peek(this.tables.facts, encodeNumberKey(number))
    if (row === undefined) return undefined
    const start = infoStart(row)
    const found = rowFrom(row, start).indexOf(mark)
    return copySlice(row, start, found < 0 ? row.length : start + found)
  }

  /** Returns the number of the block to which the native block with this hash was converted. */
  numberOf(hash: Uint8Array): number | undefined {
    const row = this.tables.numbers.get(hash)
    return row && decodeNumber(row)
  }

  /** Returns block number and index in the native block of a native transaction. */
  locate(hash: Uint8Array): TransactionLocation | undefined {
    const row = this.tables.places.get(hash)
    return row && decodeLocation(row)
  }
}

/** Writes the native data of blocks; to be used inside a transaction, together with the block. */
export class NativeBlockStore extends NativeBlockReader {
  put(number: number, rows: NativeRows): void {
    const key = encodeNumberKey(number)
    const hashes = rows.transactions.map(({ hash }) => hash)
    this.tables.facts.put(key, encodeRow({ ...rows, transactions: hashes }))
    this.tables.numbers.put(rows.hash, key)
    // The same bytes may be in the chain twice: a failed one does not hide one that did not (CometBFT's
    // rule).
    for (const [index, { hash, hasFailed, isCosmos }] of rows.transactions.entries()) {
      if (hasFailed && this.tables.places.doesExist(hash)) continue
      this.tables.places.put(hash, encodeLocation({ number, index }))
      if (isCosmos) this.tables.places.put(syntheticHash(hash), encodeLocation({ number, index }))
    }
  }

  /** Removes the body; the hash of the native block stays, as headers do. */
  removeBody(number: number): void {
    const known = this.block(number)
    if (!known) return
    this.#removeLocations(number, known)
    this.tables.facts.put(
      encodeNumberKey(number),
      encodeRow({ hash: known.hash, transactions: [], info: new Uint8Array() }),
    )
  }

  remove(number: number): void {
    const known = this.block(number)
    if (!known) return
    this.#removeLocations(number, known)
    this.tables.numbers.remove(known.hash)
    this.tables.facts.remove(encodeNumberKey(number))
  }

  #removeLocations(number: number, { transactions }: StoredNativeBlock): void {
    for (const native of transactions)
      for (const hash of [native, syntheticHash(native)])
        if (this.locate(hash)?.number === number) this.tables.places.remove(hash)
  }
}
