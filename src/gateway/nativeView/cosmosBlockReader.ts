import { equalBytes } from '../../base/bytes.ts'
import { createBloom, mergeBlooms } from '../../chain/block/bloom.ts'
import type { Header } from '../../chain/block/header.ts'
import type { BlockRef } from '../../chain/port/blockRef.ts'
import type { BlockReader, PendingBlock } from '../../chain/port/blocks.ts'
import type { TransactionLocation } from '../../chain/port/location.ts'
import type { NativeBlockInfo } from '../convert/convertedBlock.ts'
import { type SyntheticTransaction, toSyntheticTransactions } from './syntheticTransactions.ts'

export interface CosmosBlocksDependencies {
  readonly blocks: BlockReader
  /** The number of logs that the Ethereum transactions of a block left. */
  readonly logCount: (number: number) => number | undefined
  readonly native: {
    at(number: number): Pick<NativeBlockInfo, 'transactions'> | undefined
    /** By a native hash or by a synthetic one. */
    locate(hash: Uint8Array): TransactionLocation | undefined
  }
  readonly chainId: bigint
}

const none: readonly SyntheticTransaction[] = []
/** Blocks whose synthetic transactions are remembered: who asks for one asks for its receipts next. */
const cacheSize = 64

/** Blocks with the Cosmos transactions behind the Ethereum ones. Raw forms, headers and hashes stay as they are. */
export class CosmosBlockReader implements BlockReader {
  readonly #dependencies: CosmosBlocksDependencies
  readonly #blocks: BlockReader
  readonly #kept = new Map<number, readonly SyntheticTransaction[]>()

  constructor(dependencies: CosmosBlocksDependencies) {
    this.#dependencies = dependencies
    this.#blocks = dependencies.blocks
  }

  /** None for a block that is not there. */
  synthetic(number: number): readonly SyntheticTransaction[] {
    const kept = this.#kept.get(number)
    if (kept !== undefined) return kept
    const made = this.#build(number)
    // A block that is still to come is not one without any.
    if (this.#blocks.hash(number) === undefined) return made
    this.#kept.set(number, made)
    const [oldest] = this.#kept.keys()
    if (this.#kept.size > cacheSize && oldest !== undefined) this.#kept.delete(oldest)
    return made
  }

  #build(number: number): readonly SyntheticTransaction[] {
    const { native, chainId, logCount } = this.#dependencies
    const info = native.at(number)
    const header = this.#blocks.header(number)
    const blockHash = this.#blocks.hash(number)
    if (info === undefined || header === undefined || blockHash === undefined) return none
    const transactionCount = this.#blocks.transactionCount(number) ?? 0
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

  /** Of the block's own transactions: the block's gas counts the Cosmos ones already. */
  #gasBefore(number: number, count: number): bigint {
    const last = count === 0 ? undefined : this.#blocks.receiptJson({ number, index: count - 1 })
    if (last === undefined) return 0n
    const receipt = JSON.parse(Buffer.from(last).toString()) as { readonly cumulativeGasUsed: string }
    return BigInt(receipt.cumulativeGasUsed)
  }

  /** The synthetic transaction at a place, where there is one. */
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

  receiptJson(place: TransactionLocation): Uint8Array | undefined {
    const synthetic = this.#at(place)
    return synthetic ? Buffer.from(synthetic.receiptJson) : this.#blocks.receiptJson(place)
  }

  receiptsJson(number: number): Uint8Array | undefined {
    const text = this.#blocks.receiptsJson(number)
    const added = this.synthetic(number)
    if (text === undefined || added.length === 0) return text
    const before = Buffer.from(text).toString().trim().slice(1, -1)
    const parts = [...(before === '' ? [] : [before]), ...added.map(({ receiptJson }) => receiptJson)]
    return Buffer.from(`[${parts.join(',')}]`)
  }

  /** Who looks here for logs finds those of the view; the header's JSON and RLP have the block's own bloom. */
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

  transactionRlp(place: TransactionLocation): Uint8Array | undefined {
    return this.#at(place) ? undefined : this.#blocks.transactionRlp(place)
  }

  receiptsRlp(number: number): readonly Uint8Array[] | undefined {
    return this.#blocks.receiptsRlp(number)
  }

  pending(): Promise<PendingBlock> {
    return this.#blocks.pending()
  }
}
