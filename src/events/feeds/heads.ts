import type { Notification } from '../../base/notification.ts'
import type { BlockReader } from '../../chain/port/blocks.ts'
import type { DeliveryQueue } from '../deliveryQueue.ts'
import { toHeadMessage, toNotification } from '../ethSubscription.ts'
import { type BackfillItem, type BlockFeed, Feed, type HeadRevert } from './feed.ts'

/** `newHeads`: each block, with or without its transactions. */
class HeadFeed extends Feed implements BlockFeed {
  readonly #read: (number: number) => Uint8Array | undefined

  constructor(read: (number: number) => Uint8Array | undefined) {
    super()
    this.#read = read
  }

  *backfill(from: number, to: number): Generator<BackfillItem> {
    for (let number = from; number <= to; number++)
      yield { number, notification: this.toNotification(number) }
  }

  /** The new head says it all. */
  revertNotification({ to }: HeadRevert): Notification {
    return this.toNotification(to)
  }

  toNotification(number: number): Notification {
    const json = this.#read(number)
    if (json === undefined) throw new Error(`block ${number} is not kept`)
    return toNotification([toHeadMessage(json)])
  }
}

/** The two feeds of new heads. */
export class HeadFeeds {
  readonly #headers: HeadFeed
  readonly #blocks: HeadFeed
  readonly #deliveries: DeliveryQueue

  constructor(blocks: BlockReader, deliveries: DeliveryQueue) {
    this.#headers = new HeadFeed((number) => blocks.headerJson(number))
    this.#blocks = new HeadFeed((number) => blocks.blockJson(number, true))
    this.#deliveries = deliveries
  }

  feed(includesTransactions: boolean): BlockFeed {
    return includesTransactions ? this.#blocks : this.#headers
  }

  /** The head is this one now, however it came to be. */
  onBlock(number: number): void {
    for (const feed of [this.#headers, this.#blocks]) {
      if (feed.members.size > 0) this.#deliveries.add(feed.members, feed.toNotification(number))
    }
  }
}
