import type { Header } from '../chain/block/header.ts'
import { encodeReceipt } from '../chain/block/receipt.ts'
import { ommerJson } from '../chain/json/blockJson.ts'
import { headerJson } from '../chain/json/headerJson.ts'
import type { BlockRef } from '../chain/port/blockRef.ts'
import type { BlockReader, PendingBlock } from '../chain/port/blocks.ts'
import type { TransactionLocation } from '../chain/port/location.ts'
import type { BlockStoreReader as StoredBlocks } from '../store/blockStoreReader.ts'

export interface StoredBlockReaderDependencies {
  readonly headNumber: () => number
  readonly pending: () => Promise<PendingBlock>
  /** Throws if there is a block above the head that the caller must be told of instead of that it does not exist. */
  readonly checkAboveHead?: (number: bigint) => void
}

/** Reads blocks from the local store. */
export class StoredBlockReader implements BlockReader {
  readonly #blocks: StoredBlocks
  readonly #headNumber: () => number
  readonly #pending: () => Promise<PendingBlock>
  readonly #checkAboveHead: ((number: bigint) => void) | undefined

  constructor(blocks: StoredBlocks, dependencies: StoredBlockReaderDependencies) {
    const { headNumber, pending, checkAboveHead } = dependencies
    this.#checkAboveHead = checkAboveHead
    this.#blocks = blocks
    this.#headNumber = headNumber
    this.#pending = pending
  }

  resolve(ref: BlockRef): number | 'pending' | undefined {
    switch (ref.kind) {
      case 'hash':
        return this.#ifKnown(this.#blocks.numberOf(ref.hash))
      case 'number':
        if (ref.number <= BigInt(this.#headNumber())) return Number(ref.number)
        this.#checkAboveHead?.(ref.number)
        return undefined
      case 'tag':
        if (ref.tag === 'pending') return 'pending'
        // Blocks are final as soon as they are stored, so latest, safe and finalized are the same block.
        // The earliest is the first of those from which on nothing is missing, as in geth.
        return ref.tag === 'earliest' ? this.#blocks.oldestComplete() : this.#headNumber()
    }
  }

  pending(): Promise<PendingBlock> {
    return this.#pending()
  }

  blockJson(number: number, isFull: boolean): Uint8Array | undefined {
    return this.#blocks.blockJson(number, isFull)
  }

  headerJson(number: number): Uint8Array | undefined {
    const header = this.#blocks.header(number)
    const hash = this.#blocks.blockHashAt(number)
    return header && hash && Buffer.from(headerJson(header, hash))
  }

  header(number: number): Header | undefined {
    return this.#blocks.header(number)
  }

  hash(number: number): Uint8Array | undefined {
    return this.#blocks.blockHashAt(number)
  }

  transactionCount(number: number): number | undefined {
    return this.#blocks.transactionCount(number)
  }

  locate(transactionHash: Uint8Array): TransactionLocation | undefined {
    return this.#locationIfKnown(this.#blocks.locate(transactionHash))
  }

  locateBySender(sender: Uint8Array, nonce: bigint): TransactionLocation | undefined {
    return this.#locationIfKnown(this.#blocks.locateBySender(sender, nonce))
  }

  /**
   * Returns the number if it is not above the head. A block is in the store before this thread is notified of it, and
   * must not be served until then.
   */
  #ifKnown(number: number | undefined): number | undefined {
    return number !== undefined && number <= this.#headNumber() ? number : undefined
  }

  #locationIfKnown(location: TransactionLocation | undefined): TransactionLocation | undefined {
    return location !== undefined && location.number <= this.#headNumber() ? location : undefined
  }

  transactionJson({ number, index }: TransactionLocation): Uint8Array | undefined {
    return this.#blocks.transactionJson(number, index)
  }

  receiptJson({ number, index }: TransactionLocation): Uint8Array | undefined {
    return this.#blocks.receiptJson(number, index)
  }

  receiptsJson(number: number): Uint8Array | undefined {
    return this.#blocks.receiptsJson(number)
  }

  ommerCount(number: number): number | undefined {
    return this.#blocks.extras(number)?.ommers.length
  }

  ommerJson(number: number, index: number): Uint8Array | undefined {
    const ommer = this.#blocks.extras(number)?.ommers[index]
    return ommer && Buffer.from(ommerJson(ommer))
  }

  headerRlp(number: number): Uint8Array | undefined {
    return this.#blocks.headerRlp(number)
  }

  blockRlp(number: number): Uint8Array | undefined {
    return this.#blocks.blockRlp(number)
  }

  transactionRlp({ number, index }: TransactionLocation): Uint8Array | undefined {
    return this.#blocks.rawTransaction(number, index)
  }

  receiptsRlp(number: number): readonly Uint8Array[] | undefined {
    return this.#blocks.receipts(number)?.map(encodeReceipt)
  }
}
