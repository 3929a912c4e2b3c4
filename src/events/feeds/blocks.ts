import type { Logger } from '../../base/logging/log.ts'
import type { Chain } from '../../chain/port/chain.ts'
import type { HeadChange } from '../../chain/port/events.ts'
import { Backfill } from '../backfill.ts'
import type { DeliveryQueue } from '../deliveryQueue.ts'
import { SharedListener } from '../sharedListener.ts'
import type { Subscription } from '../subscription.ts'
import type { BlockFeed } from './feed.ts'
import { HeadFeeds } from './heads.ts'
import { LogFeeds } from './logs.ts'
import { ReceiptFeeds } from './receipts.ts'

export interface BlockFeedsDependencies {
  readonly chain: Chain
  readonly deliveries: DeliveryQueue
  /** Delivers what must be sent before the notifications of a block. */
  readonly beforeBlock: () => void
  readonly log: Logger
}

/** The feeds that are notified when the head changes. */
export class BlockFeeds {
  readonly heads: HeadFeeds
  readonly logs: LogFeeds
  readonly receipts: ReceiptFeeds
  readonly listener: SharedListener
  readonly #dependencies: BlockFeedsDependencies
  readonly #backfills = new Set<Backfill>()
  /** The last block that subscribers were notified of. */
  #head = 0

  constructor(dependencies: BlockFeedsDependencies) {
    const { chain, deliveries } = dependencies
    this.#dependencies = dependencies
    this.heads = new HeadFeeds(chain.blocks, deliveries)
    this.logs = new LogFeeds(chain, deliveries)
    this.receipts = new ReceiptFeeds(chain.blocks, deliveries)
    this.listener = new SharedListener(() => {
      this.#head = chain.head().number
      return chain.events.onHead((change) => this.#onHead(change))
    })
  }

  /** Starts a backfill at the block `from`; at its end the subscription becomes a member of the feed. */
  backfill(subscription: Subscription, feed: BlockFeed, from: number): Backfill {
    const { deliveries, log } = this.#dependencies
    const backfill = new Backfill(
      { subscription, feed, from },
      {
        head: () => this.#head,
        resume: () => deliveries.resumeBackfill(backfill),
        onCaughtUp: () => {
          this.#backfills.delete(backfill)
          subscription.since = deliveries.next
          feed.members.add(subscription)
        },
        onFailed: (error) => {
          this.#backfills.delete(backfill)
          log.warn({ err: error }, 'subscription backfill failed')
          subscription.connection.disconnect('the requested blocks are not kept any more')
        },
      },
    )
    this.#backfills.add(backfill)
    return backfill
  }

  cancelBackfill(backfill: Backfill): void {
    this.#backfills.delete(backfill)
  }

  #onHead(change: HeadChange): void {
    this.#dependencies.beforeBlock()
    try {
      if (change.kind === 'extended') this.#extend(change.from, change.to)
      else this.#revert(change)
    } catch (error) {
      // Subscribers are disconnected, so that they do not miss a block that cannot be read without noticing it.
      this.#dependencies.log.error({ err: error }, 'failed to notify subscribers of a new head')
      for (const { connection } of this.listener.users) connection.disconnect('a new head could not be read')
    }
  }

  #extend(from: number, to: number): void {
    for (let number = from; number <= to; number++) {
      this.heads.onBlock(number)
      this.logs.onBlock(number)
      this.receipts.onBlock(number)
    }
    this.#head = to
  }

  #revert(change: Extract<HeadChange, { readonly kind: 'reverted' }>): void {
    this.#head = change.to
    this.logs.onRevert(change)
    this.heads.onBlock(change.to)
    for (const backfill of this.#backfills) backfill.revert(change)
  }
}
