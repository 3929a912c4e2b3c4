import type { Table } from '../base/lmdb.ts'
import { asBuffer, decodeNumber, encodeNumberKey } from './keys.ts'
import { metaKeys, oldestSchema, schema } from './tables.ts'

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

/**
 * The rows about the store as a whole: its chain, its head and its oldest blocks. Setters must be called
 * inside a transaction.
 */
export class ChainMeta {
  readonly #table: Table

  constructor(table: Table, path: string) {
    this.#table = table
    const found = table.get(metaKeys.schema)?.[0]
    if (found !== undefined && (found > schema || found < oldestSchema))
      throw new StoreError(
        `${path} has blocks of schema ${found}; this program reads ${schema}${found > schema ? ' and is older than the one that wrote them' : ''}`,
      )
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
    this.#table.put(metaKeys.config, Buffer.from(config))
  }

  initialize(genesisHash: Uint8Array, config: string, start: StoreStart): void {
    this.#table.put(metaKeys.schema, Uint8Array.of(schema))
    this.#table.put(metaKeys.genesis, genesisHash)
    this.setConfig(config)
    if (start.first > 0) {
      this.#table.put(metaKeys.first, encodeNumberKey(start.first))
      this.setOldest(start.first)
    }
    if (start.hasNativeHashes) this.#table.put(metaKeys.foreignHashes, Uint8Array.of(1))
  }

  /** Returns the first block whose header is stored. */
  first(): number {
    const row = this.#table.get(metaKeys.first)
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
    this.#table.put(metaKeys.head, Buffer.concat([encodeNumberKey(number), hash]))
  }

  /** Returns the oldest block, beside block 0, whose body and receipts are kept. */
  oldestBody(): number {
    const row = this.#table.get(metaKeys.oldest)
    return row ? decodeNumber(row) : 1
  }

  setOldest(number: number): void {
    this.#table.put(metaKeys.oldest, encodeNumberKey(number))
  }

  /** Returns the oldest header that is kept beside the first block's; zero if none is missing. */
  firstHeader(): number {
    const row = this.#table.get(metaKeys.firstHeader)
    return row ? decodeNumber(row) : 0
  }

  setFirstHeader(number: number): void {
    if (number === 0) this.#table.remove(metaKeys.firstHeader)
    else this.#table.put(metaKeys.firstHeader, encodeNumberKey(number))
  }

  /**
   * Returns the first block from which on all blocks are in the appearance index; undefined if it is not
   * kept.
   */
  appearancesFrom(): number | undefined {
    const row = this.#table.get(metaKeys.appearances)
    return row && decodeNumber(row)
  }

  setAppearancesFrom(number: number | undefined): void {
    if (number === undefined) this.#table.remove(metaKeys.appearances)
    else this.#table.put(metaKeys.appearances, encodeNumberKey(number))
  }

  enginePosition(): Uint8Array | undefined {
    return this.#table.get(metaKeys.engine)
  }

  setEnginePosition(position: Uint8Array): void {
    this.#table.put(metaKeys.engine, position)
  }
}
