import type { Logger } from '../../base/log.ts'
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
  /** What is to be told before a block. */
  readonly beforeBlock: () => void
  readonly log: Logger
}

/** Everything that is told when the head moves. */
export class BlockFeeds {
  readonly heads: HeadFeeds
  readonly logs: LogFeeds
  readonly receipts: ReceiptFeeds
  readonly listening: SharedListener
  readonly #dependencies: BlockFeedsDependencies
  readonly #backfills = new Set<Backfill>()
  /** The last block that was told. */
  #head = 0

  constructor(dependencies: BlockFeedsDependencies) {
    const { chain, deliveries } = dependencies
    this.#dependencies = dependencies
    this.heads = new HeadFeeds(chain.blocks, deliveries)
    this.logs = new LogFeeds(chain, deliveries)
    this.receipts = new ReceiptFeeds(chain.blocks, deliveries)
    this.listening = new SharedListener(() => {
      this.#head = chain.head().number
      return chain.events.onHead((change) => this.#onHead(change))
    })
  }

  /** Tells of the past from a block on; the subscription is a member of the feed from the end of it on. */
  backfill(subscription: Subscription, feed: BlockFeed, from: number): Backfill {
    const { deliveries, log } = this.#dependencies
    const history = new Backfill(
      { subscription, feed, from },
      {
        head: () => this.#head,
        resume: () => deliveries.resumeBackfill(history),
        onCaughtUp: () => {
          this.#backfills.delete(history)
          subscription.since = deliveries.next
          feed.members.add(subscription)
        },
        onFailed: (error) => {
          this.#backfills.delete(history)
          log.warn({ err: error }, 'a subscription could not go on with the past')
          subscription.outlet.disconnect('what was asked for is not kept any more')
        },
      },
    )
    this.#backfills.add(history)
    return history
  }

  cancelBackfill(history: Backfill): void {
    this.#backfills.delete(history)
  }

  #onHead(change: HeadChange): void {
    this.#dependencies.beforeBlock()
    try {
      if (change.kind === 'extended') this.#extend(change.from, change.to)
      else this.#revert(change)
    } catch (error) {
      // A block that cannot be read cannot be told of, and nobody is to believe that it was not there.
      this.#dependencies.log.error({ err: error }, 'a new head could not be told of')
      for (const { outlet: connection } of this.listening.users)
        connection.disconnect('a new head could not be read')
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
    for (const history of this.#backfills) history.revert(change)
  }
}
