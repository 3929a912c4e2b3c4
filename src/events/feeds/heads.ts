import type { Notification } from '../../base/notification.ts'
import type { BlockReader } from '../../chain/port/blocks.ts'
import type { DeliveryQueue } from '../deliveryQueue.ts'
import { toNotification, toSubscriptionMessage } from '../ethSubscription.ts'
import { type BackfillItem, type BlockFeed, Feed, type HeadRevert } from './feed.ts'

/** The feed of `newHeads`: each block, with or without its transactions. */
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

  /** Returns the new head, from which the client sees which blocks were reverted. */
  revertNotification({ to }: HeadRevert): Notification {
    return this.toNotification(to)
  }

  toNotification(number: number): Notification {
    const json = this.#read(number)
    if (json === undefined) throw new Error(`block ${number} is not kept`)
    return toNotification([toSubscriptionMessage(json)])
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

  /** Notifies of the new head, after an extension or a revert. */
  onBlock(number: number): void {
    for (const feed of [this.#headers, this.#blocks]) {
      if (feed.members.size > 0) this.#deliveries.add(feed.members, feed.toNotification(number))
    }
  }
}
