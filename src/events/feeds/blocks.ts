import type { Logger } from '../../base/log.ts'
import type { Chain } from '../../chain/port/chain.ts'
import type { HeadChange } from '../../chain/port/events.ts'
import type { Deliveries } from '../deliveries.ts'
import { History } from '../history.ts'
import { Listening } from '../listening.ts'
import type { Subscription } from '../subscription.ts'
import type { BlockFeed } from './feed.ts'
import { HeadFeeds } from './heads.ts'
import { LogFeeds } from './logs.ts'
import { ReceiptFeeds } from './receipts.ts'

export interface BlockFeedsDependencies {
  readonly chain: Chain
  readonly deliveries: Deliveries
  /** What is to be told before a block. */
  readonly beforeBlock: () => void
  readonly log: Logger
}

/** Everything that is told when the head moves. */
export class BlockFeeds {
  readonly heads: HeadFeeds
  readonly logs: LogFeeds
  readonly receipts: ReceiptFeeds
  readonly listening: Listening
  readonly #dependencies: BlockFeedsDependencies
  readonly #histories = new Set<History>()
  /** The last block that was told. */
  #head = 0

  constructor(dependencies: BlockFeedsDependencies) {
    const { chain, deliveries } = dependencies
    this.#dependencies = dependencies
    this.heads = new HeadFeeds(chain.blocks, deliveries)
    this.logs = new LogFeeds(chain, deliveries)
    this.receipts = new ReceiptFeeds(chain.blocks, deliveries)
    this.listening = new Listening(() => {
      this.#head = chain.head().number
      return chain.events.onHead((change) => this.#onHead(change))
    })
  }

  /** Tells of the past from a block on; the subscription is a member of the feed from the end of it on. */
  resume(subscription: Subscription, feed: BlockFeed, from: number): History {
    const { deliveries, log } = this.#dependencies
    const history = new History(
      { subscription, feed, from },
      {
        head: () => this.#head,
        goOn: () => deliveries.goOn(history),
        onCaughtUp: () => {
          this.#histories.delete(history)
          subscription.since = deliveries.next
          feed.members.add(subscription)
        },
        onFailed: (error) => {
          this.#histories.delete(history)
          log.warn({ err: error }, 'a subscription could not go on with the past')
          subscription.outlet.cutOff('what was asked for is not kept any more')
        },
      },
    )
    this.#histories.add(history)
    return history
  }

  abandon(history: History): void {
    this.#histories.delete(history)
  }

  #onHead(change: HeadChange): void {
    this.#dependencies.beforeBlock()
    try {
      if (change.kind === 'grown') this.#grow(change.from, change.to)
      else this.#takeBack(change)
    } catch (error) {
      // A block that cannot be read cannot be told of, and nobody is to believe that it was not there.
      this.#dependencies.log.error({ err: error }, 'a new head could not be told of')
      for (const { outlet } of this.listening.users) outlet.cutOff('a new head could not be read')
    }
  }

  #grow(from: number, to: number): void {
    for (let number = from; number <= to; number++) {
      this.heads.onBlock(number)
      this.logs.onBlock(number)
      this.receipts.onBlock(number)
    }
    this.#head = to
  }

  #takeBack(change: Extract<HeadChange, { readonly kind: 'taken back' }>): void {
    this.#head = change.to
    this.logs.onTakenBack(change)
    this.heads.onBlock(change.to)
    for (const history of this.#histories) history.takeBack(change)
  }
}
