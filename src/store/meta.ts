import type { Table } from '../base/lmdb.ts'
import { asBuffer, numberKey, readNumber } from './keys.ts'
import { metaKeys, oldestSchema, schema } from './tables.ts'

export interface StoredHead {
  readonly number: number
  readonly hash: Uint8Array
}

/** Where a store begins. */
interface StoreBeginning {
  readonly first: number
  readonly hasForeignHashes: boolean
}

/** The store cannot be used as it is; the message is one line for the operator. */
export class StoreError extends Error {
  override readonly name = 'StoreError'
}

/** The rows that say what the store as a whole is and where it stands. Setters are for inside a transaction. */
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

  /** Undefined: nothing was ever written. */
  genesisHash(): Uint8Array | undefined {
    return this.#table.get(metaKeys.genesis)
  }

  /** geth's config object, as JSON. */
  config(): string | undefined {
    const row = this.#table.get(metaKeys.config)
    return row && asBuffer(row).toString()
  }

  /** For rules that begin above the head. */
  setConfig(config: string): void {
    this.#table.put(metaKeys.config, Buffer.from(config))
  }

  initialize(genesisHash: Uint8Array, config: string, beginning: StoreBeginning): void {
    this.#table.put(metaKeys.schema, Uint8Array.of(schema))
    this.#table.put(metaKeys.genesis, genesisHash)
    this.setConfig(config)
    if (beginning.first > 0) {
      this.#table.put(metaKeys.first, numberKey(beginning.first))
      this.setOldest(beginning.first)
    }
    if (beginning.hasForeignHashes) this.#table.put(metaKeys.foreignHashes, Uint8Array.of(1))
  }

  /** The first block whose header is here. */
  first(): number {
    const row = this.#table.get(metaKeys.first)
    return row ? readNumber(row) : 0
  }

  /** Whether a block's hash is that of something else than its header. */
  hasForeignHashes(): boolean {
    return this.#table.get(metaKeys.foreignHashes) !== undefined
  }

  head(): StoredHead | undefined {
    const row = this.#table.get(metaKeys.head)
    return row && { number: readNumber(row), hash: row.subarray(6) }
  }

  setHead({ number, hash }: StoredHead): void {
    this.#table.put(metaKeys.head, Buffer.concat([numberKey(number), hash]))
  }

  /** The oldest block, beside block 0, whose body and receipts are kept. */
  oldest(): number {
    const row = this.#table.get(metaKeys.oldest)
    return row ? readNumber(row) : 1
  }

  setOldest(number: number): void {
    this.#table.put(metaKeys.oldest, numberKey(number))
  }

  /** The oldest header that is kept beside the first block's; zero where none is missing. */
  firstHeader(): number {
    const row = this.#table.get(metaKeys.firstHeader)
    return row ? readNumber(row) : 0
  }

  setFirstHeader(number: number): void {
    if (number === 0) this.#table.remove(metaKeys.firstHeader)
    else this.#table.put(metaKeys.firstHeader, numberKey(number))
  }

  /** The first block from which on all blocks are in the index of appearances; undefined where it is not kept. */
  appearancesFrom(): number | undefined {
    const row = this.#table.get(metaKeys.appearances)
    return row && readNumber(row)
  }

  setAppearancesFrom(number: number | undefined): void {
    if (number === undefined) this.#table.remove(metaKeys.appearances)
    else this.#table.put(metaKeys.appearances, numberKey(number))
  }

  enginePosition(): Uint8Array | undefined {
    return this.#table.get(metaKeys.engine)
  }

  setEnginePosition(position: Uint8Array): void {
    this.#table.put(metaKeys.engine, position)
  }
}
