import { toHex } from '../../base/encoding/hex.ts'
import type { BlockReader } from '../../chain/port/blocks.ts'
import type { DeliveryQueue } from '../deliveryQueue.ts'
import { toNotification, toSubscriptionMessage } from '../ethSubscription.ts'
import { Feed } from './feed.ts'

/** Subscriptions to the receipts of the same transactions. */
class ReceiptFeed extends Feed {
  readonly hashes: readonly string[]
  readonly #drop: () => void

  constructor(hashes: readonly string[], drop: () => void) {
    super()
    this.hashes = hashes
    this.#drop = drop
  }

  protected override onEmpty(): void {
    this.#drop()
  }
}

/**
 * The feeds of `transactionReceipts`: the receipts of a block in one array, as in geth; nothing for a block without
 * any.
 */
export class ReceiptFeeds {
  readonly #blocks: BlockReader
  readonly #deliveries: DeliveryQueue
  readonly #all = new Feed()
  readonly #some = new Map<string, ReceiptFeed>()
  readonly #byHash = new Map<string, Set<ReceiptFeed>>()

  constructor(blocks: BlockReader, deliveries: DeliveryQueue) {
    this.#blocks = blocks
    this.#deliveries = deliveries
  }

  /** Returns the feed of the given transactions, or of all if there are no hashes. */
  feed(transactionHashes: readonly Uint8Array[]): Feed {
    if (transactionHashes.length === 0) return this.#all
    const hashes = [...new Set(transactionHashes.map(toHex))].sort()
    const id = hashes.join()
    const known = this.#some.get(id)
    if (known !== undefined) return known
    const feed = new ReceiptFeed(hashes, () => this.#drop(id, feed))
    this.#some.set(id, feed)
    for (const hash of hashes) this.#byHash.set(hash, (this.#byHash.get(hash) ?? new Set()).add(feed))
    return feed
  }

  onBlock(number: number): void {
    const blocks = this.#blocks
    if (!blocks.transactionCount(number)) return
    if (this.#all.members.size > 0) {
      const receipts = blocks.receiptsJson(number)
      if (receipts === undefined) throw new Error(`the receipts of block ${number} are not kept`)
      this.#deliveries.add(this.#all.members, toNotification([toSubscriptionMessage(receipts)]))
    }
    if (this.#some.size > 0) this.#deliverSome(blocks, number)
  }

  #deliverSome(blocks: BlockReader, number: number): void {
    const block = blocks.blockJson(number, false)
    if (block === undefined) throw new Error(`block ${number} is not kept`)
    const { transactions } = JSON.parse(Buffer.from(block).toString()) as { transactions: string[] } // as it is served
    const found = new Map<ReceiptFeed, Uint8Array[]>()
    for (const [index, hash] of transactions.entries()) {
      for (const feed of this.#byHash.get(hash) ?? []) {
        const receipt = blocks.receiptJson({ number, index })
        if (receipt === undefined) throw new Error(`the receipts of block ${number} are not kept`)
        found.set(feed, [...(found.get(feed) ?? []), receipt])
      }
    }
    for (const [feed, receipts] of found) {
      const array = Buffer.from(`[${receipts.map((receipt) => Buffer.from(receipt).toString()).join()}]`)
      this.#deliveries.add(feed.members, toNotification([toSubscriptionMessage(array)]))
    }
  }

  #drop(id: string, { hashes }: ReceiptFeed): void {
    const feed = this.#some.get(id)
    this.#some.delete(id)
    for (const hash of hashes) {
      const feeds = this.#byHash.get(hash)
      if (feed !== undefined) feeds?.delete(feed)
      if (feeds?.size === 0) this.#byHash.delete(hash)
    }
  }
}
