import type { Logger } from '../base/log.ts'
import type { Outlet } from '../base/notice.ts'
import { limitExceeded } from '../chain/chainError.ts'
import type { Chain } from '../chain/port/chain.ts'
import type { LogPattern } from '../chain/port/logs.ts'
import { Deliveries } from './deliveries.ts'
import { BlockFeeds } from './feeds/blocks.ts'
import { type BlockFeed, Feed } from './feeds/feed.ts'
import { PendingFeeds } from './feeds/pending.ts'
import { Listening } from './listening.ts'
import { Subscription } from './subscription.ts'
import { syncNotice } from './syncNotice.ts'

/** What a client wants to be told of. `from`: beginning with this block, which is there. */
export type Wish =
  | { readonly kind: 'newHeads'; readonly includesTransactions: boolean; readonly from: number | undefined }
  | { readonly kind: 'logs'; readonly pattern: LogPattern; readonly from: number | undefined }
  | { readonly kind: 'newPendingTransactions'; readonly isWhole: boolean }
  | { readonly kind: 'syncing' }
  /** No hashes: of every transaction. */
  | { readonly kind: 'transactionReceipts'; readonly hashes: readonly Uint8Array[] }

export interface SubscriptionsOptions {
  /** The most that one connection may have. */
  readonly subscriptionCap: number
}

export interface SubscriptionsDependencies {
  readonly chain: Chain
  readonly log: Logger
}

/** A subscription that was made. Nothing is sent before `activate`, which is called when its id is on its way. */
export interface Subscribed {
  readonly id: string
  activate(): void
}

interface Entry {
  readonly kind: Wish['kind']
  end(): void
}

/** The subscriptions of all connections. */
export class Subscriptions {
  readonly #options: SubscriptionsOptions
  readonly #dependencies: SubscriptionsDependencies
  readonly #deliveries = new Deliveries()
  readonly #blocks: BlockFeeds
  readonly #pending = new PendingFeeds(this.#deliveries)
  readonly #pendingListening: Listening
  readonly #sync = new Feed()
  readonly #syncListening: Listening
  /** By connection, then by id. */
  readonly #entries = new Map<Outlet, Map<string, Entry>>()

  constructor(options: SubscriptionsOptions, dependencies: SubscriptionsDependencies) {
    const { chain } = dependencies
    this.#options = options
    this.#dependencies = dependencies
    const beforeBlock = (): void => this.#pending.flush()
    this.#blocks = new BlockFeeds({ ...dependencies, deliveries: this.#deliveries, beforeBlock })
    this.#pendingListening = new Listening(() =>
      chain.events.onPending((transaction) => this.#pending.onPending(transaction)),
    )
    this.#syncListening = new Listening(() =>
      chain.events.onSyncing((progress) => this.#deliveries.add(this.#sync.members, syncNotice(progress))),
    )
  }

  subscribe(outlet: Outlet, wish: Wish): Subscribed {
    const own = this.#entries.get(outlet) ?? new Map<string, Entry>()
    const { subscriptionCap } = this.#options
    if (own.size >= subscriptionCap) {
      const why = `too many subscriptions: at most ${subscriptionCap} for a connection (subscription-cap)`
      throw limitExceeded(why)
    }
    const subscription = new Subscription(outlet, this.#deliveries.next)
    const { id } = subscription
    const { activate, leave } = this.#begin(subscription, wish)
    const end = (): void => {
      subscription.end()
      leave()
    }
    own.set(id, { kind: wish.kind, end })
    if (!this.#entries.has(outlet)) {
      this.#entries.set(outlet, own)
      outlet.onceClosed(() => this.#forget(outlet))
    }
    return { id, activate }
  }

  /** False when the connection has no such subscription. */
  unsubscribe(outlet: Outlet, id: string): boolean {
    const own = this.#entries.get(outlet)
    own?.get(id)?.end()
    return own?.delete(id) ?? false
  }

  /** How many there are of each kind. */
  counts(): Readonly<Record<Wish['kind'], number>> {
    const counts = { newHeads: 0, logs: 0, newPendingTransactions: 0, syncing: 0, transactionReceipts: 0 }
    for (const own of this.#entries.values()) for (const { kind } of own.values()) counts[kind]++
    return counts
  }

  #forget(outlet: Outlet): void {
    for (const { end } of this.#entries.get(outlet)?.values() ?? []) end()
    this.#entries.delete(outlet)
  }

  #begin(subscription: Subscription, wish: Wish): { activate: () => void; leave: () => void } {
    const { heads, logs, receipts, listening } = this.#blocks
    switch (wish.kind) {
      case 'newHeads':
        return this.#beginBlocks(subscription, heads.feed(wish.includesTransactions), wish.from)
      case 'logs':
        return this.#beginBlocks(subscription, logs.feed(wish.pattern), wish.from)
      case 'transactionReceipts':
        return join(subscription, receipts.feed(wish.hashes), listening)
      case 'newPendingTransactions':
        return join(subscription, this.#pending.feed(wish.isWhole), this.#pendingListening)
      case 'syncing':
        void this.#tellProgress(subscription)
        return join(subscription, this.#sync, this.#syncListening)
    }
  }

  #beginBlocks(subscription: Subscription, feed: BlockFeed, from: number | undefined) {
    const { listening } = this.#blocks
    if (from === undefined) return join(subscription, feed, listening)
    feed.enter()
    listening.enter(subscription)
    const history = this.#blocks.resume(subscription, feed, from)
    return {
      activate: (): void => {
        subscription.activate()
        this.#deliveries.goOn(history)
      },
      leave: (): void => {
        this.#blocks.abandon(history)
        feed.leave(subscription)
        listening.leave(subscription)
      },
    }
  }

  /** How things stand comes first, as in geth. */
  async #tellProgress(subscription: Subscription): Promise<void> {
    const { chain, log } = this.#dependencies
    try {
      subscription.deliver(syncNotice(await chain.network.syncing()))
    } catch (error) {
      log.warn({ err: error }, 'how far the node is behind could not be told')
    }
  }
}

const join = (subscription: Subscription, feed: Feed, listening: Listening) => {
  feed.enter()
  listening.enter(subscription)
  feed.members.add(subscription)
  return {
    activate: (): void => subscription.activate(),
    leave: (): void => {
      feed.leave(subscription)
      listening.leave(subscription)
    },
  }
}
