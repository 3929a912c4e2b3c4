import type { Logger } from '../base/log.ts'
import type { ClientConnection } from '../base/notification.ts'
import { limitExceeded } from '../chain/chainError.ts'
import type { Chain } from '../chain/port/chain.ts'
import type { LogPattern } from '../chain/port/logs.ts'
import { DeliveryQueue } from './deliveryQueue.ts'
import { BlockFeeds } from './feeds/blocks.ts'
import { type BlockFeed, Feed } from './feeds/feed.ts'
import { PendingFeeds } from './feeds/pending.ts'
import { SharedListener } from './sharedListener.ts'
import { Subscription } from './subscription.ts'
import { toSyncNotification } from './syncNotification.ts'

/** What a client wants to be told of. `from`: beginning with this block, which is there. */
export type SubscriptionRequest =
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
export interface SubscriptionHandle {
  readonly id: string
  activate(): void
}

interface ActiveSubscription {
  readonly kind: SubscriptionRequest['kind']
  end(): void
}

/** The subscriptions of all connections. */
export class SubscriptionManager {
  readonly #options: SubscriptionsOptions
  readonly #dependencies: SubscriptionsDependencies
  readonly #deliveries = new DeliveryQueue()
  readonly #blocks: BlockFeeds
  readonly #pending = new PendingFeeds(this.#deliveries)
  readonly #pendingListening: SharedListener
  readonly #sync = new Feed()
  readonly #syncListening: SharedListener
  /** By connection, then by id. */
  readonly #entries = new Map<ClientConnection, Map<string, ActiveSubscription>>()

  constructor(options: SubscriptionsOptions, dependencies: SubscriptionsDependencies) {
    const { chain } = dependencies
    this.#options = options
    this.#dependencies = dependencies
    const beforeBlock = (): void => this.#pending.flush()
    this.#blocks = new BlockFeeds({ ...dependencies, deliveries: this.#deliveries, beforeBlock })
    this.#pendingListening = new SharedListener(() =>
      chain.events.onPending((transaction) => this.#pending.onPending(transaction)),
    )
    this.#syncListening = new SharedListener(() =>
      chain.events.onSyncing((progress) =>
        this.#deliveries.add(this.#sync.members, toSyncNotification(progress)),
      ),
    )
  }

  subscribe(connection: ClientConnection, request: SubscriptionRequest): SubscriptionHandle {
    const connectionSubscriptions = this.#entries.get(connection) ?? new Map<string, ActiveSubscription>()
    const { subscriptionCap } = this.#options
    if (connectionSubscriptions.size >= subscriptionCap) {
      const why = `too many subscriptions: at most ${subscriptionCap} for a connection (subscription-cap)`
      throw limitExceeded(why)
    }
    const subscription = new Subscription(connection, this.#deliveries.next)
    const { id } = subscription
    const { activate, leave } = this.#start(subscription, request)
    const end = (): void => {
      subscription.end()
      leave()
    }
    connectionSubscriptions.set(id, { kind: request.kind, end })
    if (!this.#entries.has(connection)) {
      this.#entries.set(connection, connectionSubscriptions)
      connection.onceClosed(() => this.#forget(connection))
    }
    return { id, activate }
  }

  /** False when the connection has no such subscription. */
  unsubscribe(outlet: ClientConnection, id: string): boolean {
    const own = this.#entries.get(outlet)
    own?.get(id)?.end()
    return own?.delete(id) ?? false
  }

  /** How many there are of each kind. */
  counts(): Readonly<Record<SubscriptionRequest['kind'], number>> {
    const counts = { newHeads: 0, logs: 0, newPendingTransactions: 0, syncing: 0, transactionReceipts: 0 }
    for (const own of this.#entries.values()) for (const { kind } of own.values()) counts[kind]++
    return counts
  }

  #forget(outlet: ClientConnection): void {
    for (const { end } of this.#entries.get(outlet)?.values() ?? []) end()
    this.#entries.delete(outlet)
  }

  #start(subscription: Subscription, wish: SubscriptionRequest): { activate: () => void; leave: () => void } {
    const { heads, logs, receipts, listening } = this.#blocks
    switch (wish.kind) {
      case 'newHeads':
        return this.#startBlockFeed(subscription, heads.feed(wish.includesTransactions), wish.from)
      case 'logs':
        return this.#startBlockFeed(subscription, logs.feed(wish.pattern), wish.from)
      case 'transactionReceipts':
        return joinFeed(subscription, receipts.feed(wish.hashes), listening)
      case 'newPendingTransactions':
        return joinFeed(subscription, this.#pending.feed(wish.isWhole), this.#pendingListening)
      case 'syncing':
        void this.#sendSyncStatus(subscription)
        return joinFeed(subscription, this.#sync, this.#syncListening)
    }
  }

  #startBlockFeed(subscription: Subscription, feed: BlockFeed, from: number | undefined) {
    const { listening } = this.#blocks
    if (from === undefined) return joinFeed(subscription, feed, listening)
    feed.retain()
    listening.addUser(subscription)
    const history = this.#blocks.backfill(subscription, feed, from)
    return {
      activate: (): void => {
        subscription.activate()
        this.#deliveries.resumeBackfill(history)
      },
      leave: (): void => {
        this.#blocks.cancelBackfill(history)
        feed.release(subscription)
        listening.removeUser(subscription)
      },
    }
  }

  /** How things stand comes first, as in geth. */
  async #sendSyncStatus(subscription: Subscription): Promise<void> {
    const { chain, log } = this.#dependencies
    try {
      subscription.deliver(toSyncNotification(await chain.network.syncing()))
    } catch (error) {
      log.warn({ err: error }, 'how far the node is behind could not be told')
    }
  }
}

const joinFeed = (subscription: Subscription, feed: Feed, listening: SharedListener) => {
  feed.retain()
  listening.addUser(subscription)
  feed.members.add(subscription)
  return {
    activate: (): void => subscription.activate(),
    leave: (): void => {
      feed.release(subscription)
      listening.removeUser(subscription)
    },
  }
}
