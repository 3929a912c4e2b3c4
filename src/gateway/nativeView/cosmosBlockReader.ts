import { equalBytes } from '../../base/encoding/bytes.ts'
import { createBloom, mergeBlooms } from '../../chain/block/bloom.ts'
import type { Header } from '../../chain/block/header.ts'
import type { BlockRef } from '../../chain/port/blockRef.ts'
import type { BlockReader, PendingBlock } from '../../chain/port/blocks.ts'
import type { TransactionLocation } from '../../chain/port/location.ts'
import type { NativeBlockInfo } from '../../families/convert/convertedBlock.ts'
import { type SyntheticTransaction, toSyntheticTransactions } from './syntheticTransactions.ts'

export interface CosmosBlocksDependencies {
  readonly blocks: BlockReader
  /** Returns the number of logs of the Ethereum transactions of a block. */
  readonly logCount: (number: number) => number | undefined
  readonly native: {
    at(number: number): Pick<NativeBlockInfo, 'transactions'> | undefined
    /** Returns the location of a transaction by its native or its synthetic hash. */
    locate(hash: Uint8Array): TransactionLocation | undefined
  }
  readonly chainId: bigint
}

const none: readonly SyntheticTransaction[] = []
/** The number of blocks whose synthetic transactions are cached, because clients often ask for receipts next. */
const cacheSize = 64

/** Blocks with Cosmos transactions after the Ethereum ones. RLP, headers and hashes do not change. */
export class CosmosBlockReader implements BlockReader {
  readonly #dependencies: CosmosBlocksDependencies
  readonly #blocks: BlockReader
  readonly #cache = new Map<number, readonly SyntheticTransaction[]>()
  #reverts = 0

  constructor(dependencies: CosmosBlocksDependencies) {
    this.#dependencies = dependencies
    this.#blocks = dependencies.blocks
  }

  /** How often blocks were reverted, so that what is read across a revert is noticed. */
  get reverts(): number {
    return this.#reverts
  }

  /** Forgets what was read, because blocks were reverted: another one may have the number, and even the hash. */
  onRevert(): void {
    this.#reverts++
    this.#cache.clear()
  }

  /** Returns the number of Ethereum transactions of a block. */
  ethereumCount(number: number): number {
    return this.#blocks.transactionCount(number) ?? 0
  }

  /** Returns the synthetic transactions of a block; empty if there is no such block. */
  synthetic(number: number): readonly SyntheticTransaction[] {
    const cached = this.#cache.get(number)
    if (cached !== undefined) return cached
    const built = this.#build(number)
    // A block that does not exist yet is not cached as empty.
    if (this.#blocks.hash(number) === undefined) return built
    this.#cache.set(number, built)
    const [oldest] = this.#cache.keys()
    if (this.#cache.size > cacheSize && oldest !== undefined) this.#cache.delete(oldest)
    return built
  }

  #build(number: number): readonly SyntheticTransaction[] {
    const { native, chainId, logCount } = this.#dependencies
    const info = native.at(number)
    const header = this.#blocks.header(number)
    const blockHash = this.#blocks.hash(number)
    if (info === undefined || header === undefined || blockHash === undefined) return none
    const transactionCount = this.ethereumCount(number)
    return toSyntheticTransactions(info.transactions, {
      blockHash,
      blockNumber: header.number,
      blockTimestamp: header.timestamp,
      chainId,
      transactionCount,
      logCount: logCount(number) ?? 0,
      gasUsed: this.#gasBefore(number, transactionCount),
    })
  }

  /** Returns the cumulative gas of the block's Ethereum transactions. The header's gas includes the Cosmos ones. */
  #gasBefore(number: number, count: number): bigint {
    const last = count === 0 ? undefined : this.#blocks.receiptJson({ number, index: count - 1 })
    if (last === undefined) return 0n
    const receipt = JSON.parse(Buffer.from(last).toString()) as { readonly cumulativeGasUsed: string }
    return BigInt(receipt.cumulativeGasUsed)
  }

  /** Returns the synthetic transaction at a location, if there is one. */
  #at({ number, index }: TransactionLocation): SyntheticTransaction | undefined {
    const count = this.#blocks.transactionCount(number)
    return count === undefined || index < count ? undefined : this.synthetic(number)[index - count]
  }

  blockJson(number: number, isFull: boolean): Uint8Array | undefined {
    const text = this.#blocks.blockJson(number, isFull)
    const added = this.synthetic(number)
    if (text === undefined || added.length === 0) return text
    const block = JSON.parse(Buffer.from(text).toString()) as { readonly transactions: readonly unknown[] }
    const more = added.map(({ json }) => JSON.parse(json) as { readonly hash: string })
    const transactions = [...block.transactions, ...(isFull ? more : more.map(({ hash }) => hash))]
    return Buffer.from(JSON.stringify({ ...block, transactions }))
  }

  transactionCount(number: number): number | undefined {
    const count = this.#blocks.transactionCount(number)
    return count === undefined ? undefined : count + this.synthetic(number).length
  }

  locate(hash: Uint8Array): TransactionLocation | undefined {
    const ethereumLocation = this.#blocks.locate(hash)
    if (ethereumLocation !== undefined) return ethereumLocation
    const found = this.#dependencies.native.locate(hash)
    if (found === undefined) return undefined
    const index = this.synthetic(found.number).findIndex((synthetic) => equalBytes(synthetic.hash, hash))
    const count = this.#blocks.transactionCount(found.number)
    return index < 0 || count === undefined ? undefined : { number: found.number, index: count + index }
  }

  transactionJson(location: TransactionLocation): Uint8Array | undefined {
    const synthetic = this.#at(location)
    return synthetic ? Buffer.from(synthetic.json) : this.#blocks.transactionJson(location)
  }

  receiptJson(location: TransactionLocation): Uint8Array | undefined {
    const synthetic = this.#at(location)
    return synthetic ? Buffer.from(synthetic.receiptJson) : this.#blocks.receiptJson(location)
  }

  receiptsJson(number: number): Uint8Array | undefined {
    const text = this.#blocks.receiptsJson(number)
    const added = this.synthetic(number)
    if (text === undefined || added.length === 0) return text
    const before = Buffer.from(text).toString().trim().slice(1, -1)
    const parts = [...(before === '' ? [] : [before]), ...added.map(({ receiptJson }) => receiptJson)]
    return Buffer.from(`[${parts.join(',')}]`)
  }

  /** Returns the header with a bloom that covers synthetic logs. The header's JSON and RLP keep the real bloom. */
  header(number: number): Header | undefined {
    const header = this.#blocks.header(number)
    const logs = this.synthetic(number).flatMap((synthetic) => synthetic.logs)
    if (header === undefined || logs.length === 0) return header
    return { ...header, logsBloom: mergeBlooms([header.logsBloom, createBloom(logs)]) }
  }

  resolve(ref: BlockRef): number | 'pending' | undefined {
    return this.#blocks.resolve(ref)
  }

  headerJson(number: number): Uint8Array | undefined {
    return this.#blocks.headerJson(number)
  }

  hash(number: number): Uint8Array | undefined {
    return this.#blocks.hash(number)
  }

  locateBySender(sender: Uint8Array, nonce: bigint): TransactionLocation | undefined {
    return this.#blocks.locateBySender(sender, nonce)
  }

  ommerCount(number: number): number | undefined {
    return this.#blocks.ommerCount(number)
  }

  ommerJson(number: number, index: number): Uint8Array | undefined {
    return this.#blocks.ommerJson(number, index)
  }

  headerRlp(number: number): Uint8Array | undefined {
    return this.#blocks.headerRlp(number)
  }

  blockRlp(number: number): Uint8Array | undefined {
    return this.#blocks.blockRlp(number)
  }

  transactionRlp(location: TransactionLocation): Uint8Array | undefined {
    return this.#at(location) ? undefined : this.#blocks.transactionRlp(location)
  }

  receiptsRlp(number: number): readonly Uint8Array[] | undefined {
    return this.#blocks.receiptsRlp(number)
  }

  pending(): Promise<PendingBlock> {
    return this.#blocks.pending()
  }
}
