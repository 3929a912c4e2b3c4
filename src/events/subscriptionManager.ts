import { toQuantity } from '../base/encoding/hex.ts'
import type { Logger } from '../base/logging/log.ts'
import type { ClientConnection, Notification } from '../base/notification.ts'
import { limitExceeded } from '../chain/chainError.ts'
import type { Chain } from '../chain/port/chain.ts'
import type { LogPattern } from '../chain/port/logs.ts'
import type { SyncProgress } from '../chain/port/network.ts'
import { type CriteriaMemory, criteriaBytes, type MemoryClient, patternItems } from './criteriaMemory.ts'
import { DeliveryQueue } from './deliveryQueue.ts'
import { toNotification, toSubscriptionMessage } from './ethSubscription.ts'
import { BlockFeeds } from './feeds/blocks.ts'
import { type BlockFeed, Feed } from './feeds/feed.ts'
import { PendingFeeds } from './feeds/pending.ts'
import { SharedListener } from './sharedListener.ts'
import { Subscription } from './subscription.ts'

/** Returns the notification of `syncing`: geth's object while the node syncs, false when it is synced. */
const toSyncNotification = (progress: SyncProgress | undefined): Notification => {
  const result = progress && {
    syncing: true,
    status: {
      startingBlock: toQuantity(progress.startingBlock),
      currentBlock: toQuantity(progress.currentBlock),
      highestBlock: toQuantity(progress.highestBlock),
    },
  }
  return toNotification([toSubscriptionMessage(Buffer.from(JSON.stringify(result ?? false)))])
}

/** What a client subscribes to. With `from`, notifications start at that existing block. */
export type SubscriptionRequest =
  | { readonly kind: 'newHeads'; readonly includesTransactions: boolean; readonly from: number | undefined }
  | { readonly kind: 'logs'; readonly pattern: LogPattern; readonly from: number | undefined }
  | { readonly kind: 'newPendingTransactions'; readonly isWhole: boolean }
  | { readonly kind: 'syncing' }
  /** Without hashes, the receipts of every transaction. */
  | { readonly kind: 'transactionReceipts'; readonly hashes: readonly Uint8Array[] }

export interface SubscriptionsOptions {
  /** The maximum number of subscriptions of one connection. */
  readonly subscriptionCap: number
}

export interface SubscriptionsDependencies {
  readonly chain: Chain
  /** The memory of the criteria, shared with filters. */
  readonly memory: CriteriaMemory
  readonly log: Logger
}

/** A new subscription. Nothing is sent before `activate`, which is called after its id has been sent. */
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
  readonly #pendingListener: SharedListener
  readonly #sync = new Feed()
  readonly #syncListener: SharedListener
  /** The subscriptions by connection, then by id. */
  readonly #byConnection = new Map<ClientConnection, Map<string, ActiveSubscription>>()

  constructor(options: SubscriptionsOptions, dependencies: SubscriptionsDependencies) {
    const { chain } = dependencies
    this.#options = options
    this.#dependencies = dependencies
    const beforeBlock = (): void => this.#pending.flush()
    this.#blocks = new BlockFeeds({ ...dependencies, deliveries: this.#deliveries, beforeBlock })
    this.#pendingListener = new SharedListener(() =>
      chain.events.onPending((transaction) => this.#pending.onPending(transaction)),
    )
    this.#syncListener = new SharedListener(() =>
      chain.events.onSyncing((progress) =>
        this.#deliveries.add(this.#sync.members, toSyncNotification(progress)),
      ),
    )
  }

  /** Creates a subscription, which takes the memory of `client`; a client may have many connections. */
  subscribe(
    connection: ClientConnection,
    request: SubscriptionRequest,
    client: MemoryClient = connection,
  ): SubscriptionHandle {
    const subscriptions = this.#byConnection.get(connection) ?? new Map<string, ActiveSubscription>()
    const { subscriptionCap } = this.#options
    if (subscriptions.size >= subscriptionCap) {
      const why = `too many subscriptions: at most ${subscriptionCap} for a connection (subscription-cap)`
      throw limitExceeded(why)
    }
    const { memory } = this.#dependencies
    const bytes = bytesOf(request)
    if (!memory.take(client, bytes)) throw memory.refusal()
    const subscription = new Subscription(connection, this.#deliveries.next)
    const { id } = subscription
    const { activate, leave } = this.#start(subscription, request)
    const end = (): void => {
      memory.give(client, bytes)
      subscription.end()
      leave()
    }
    subscriptions.set(id, { kind: request.kind, end })
    if (!this.#byConnection.has(connection)) {
      this.#byConnection.set(connection, subscriptions)
      connection.onceClosed(() => this.#endAll(connection))
    }
    return { id, activate }
  }

  /** Ends a subscription; returns false if the connection has no such one. */
  unsubscribe(connection: ClientConnection, id: string): boolean {
    const subscriptions = this.#byConnection.get(connection)
    subscriptions?.get(id)?.end()
    return subscriptions?.delete(id) ?? false
  }

  /** Ends the connections that have or had subscriptions, so that their clients subscribe again. */
  disconnectAll(reason: string): void {
    for (const connection of [...this.#byConnection.keys()]) connection.disconnect(reason)
  }

  /** Returns the number of subscriptions by kind. */
  counts(): Readonly<Record<SubscriptionRequest['kind'], number>> {
    const counts = { newHeads: 0, logs: 0, newPendingTransactions: 0, syncing: 0, transactionReceipts: 0 }
    for (const subscriptions of this.#byConnection.values()) {
      for (const { kind } of subscriptions.values()) counts[kind]++
    }
    return counts
  }

  #endAll(connection: ClientConnection): void {
    for (const { end } of this.#byConnection.get(connection)?.values() ?? []) end()
    this.#byConnection.delete(connection)
  }

  #start(
    subscription: Subscription,
    request: SubscriptionRequest,
  ): { activate: () => void; leave: () => void } {
    const { heads, logs, receipts, listener } = this.#blocks
    switch (request.kind) {
      case 'newHeads':
        return this.#startBlockFeed(subscription, heads.feed(request.includesTransactions), request.from)
      case 'logs':
        return this.#startBlockFeed(subscription, logs.feed(request.pattern), request.from)
      case 'transactionReceipts':
        return joinFeed(subscription, receipts.feed(request.hashes), listener)
      case 'newPendingTransactions':
        return joinFeed(subscription, this.#pending.feed(request.isWhole), this.#pendingListener)
      case 'syncing':
        void this.#sendSyncStatus(subscription)
        return joinFeed(subscription, this.#sync, this.#syncListener)
    }
  }

  #startBlockFeed(subscription: Subscription, feed: BlockFeed, from: number | undefined) {
    const { listener } = this.#blocks
    if (from === undefined) return joinFeed(subscription, feed, listener)
    feed.retain()
    listener.addUser(subscription)
    const backfill = this.#blocks.backfill(subscription, feed, from)
    return {
      activate: (): void => {
        subscription.activate()
        this.#deliveries.resumeBackfill(backfill)
      },
      leave: (): void => {
        this.#blocks.cancelBackfill(backfill)
        feed.release(subscription)
        listener.removeUser(subscription)
      },
    }
  }

  /** Sends the current sync status first, as geth does. */
  async #sendSyncStatus(subscription: Subscription): Promise<void> {
    const { chain, log } = this.#dependencies
    try {
      subscription.deliver(toSyncNotification(await chain.network.syncing()))
    } catch (error) {
      log.warn({ err: error }, 'failed to read the sync status')
    }
  }
}

/** Returns the memory of a subscription. Its criteria take twice that of a filter's: feeds are found by each of them. */
const bytesOf = (request: SubscriptionRequest): number => {
  if (request.kind === 'logs') return criteriaBytes(2 * patternItems(request.pattern))
  return criteriaBytes(request.kind === 'transactionReceipts' ? 2 * request.hashes.length : 0)
}

const joinFeed = (subscription: Subscription, feed: Feed, listener: SharedListener) => {
  feed.retain()
  listener.addUser(subscription)
  feed.members.add(subscription)
  return {
    activate: (): void => subscription.activate(),
    leave: (): void => {
      feed.release(subscription)
      listener.removeUser(subscription)
    },
  }
}
