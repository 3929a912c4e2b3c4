import type { BackfillItem, BlockFeed, HeadRevert } from './feeds/feed.ts'
import type { Subscription } from './subscription.ts'

export interface BackfillOptions {
  readonly subscription: Subscription
  readonly feed: BlockFeed
  /** The first block of the backfill. */
  readonly from: number
}

export interface BackfillDependencies {
  /** Returns the last block that the members of the feed were notified of, or are about to be. */
  readonly head: () => number
  /** Called to continue after the client has read. */
  readonly resume: () => void
  /** Called when the backfill has reached the head; live notifications follow. */
  readonly onCaughtUp: () => void
  /** Called when a block cannot be read. */
  readonly onFailed: (error: unknown) => void
}

/** The delay before a failed read is retried. A block may be removed shortly before the event of its revert arrives. */
const retryMs = 500

/**
 * Notifications about blocks from before the subscription. They are sent as fast as the client reads, including those
 * of blocks that arrive meanwhile. The subscription joins its feed in the same turn in which no block is left.
 */
export class Backfill {
  readonly #subscription: Subscription
  readonly #feed: BlockFeed
  readonly #dependencies: BackfillDependencies
  readonly #start: number
  /** The next block. All blocks from the start to the one before it were sent. */
  #next: number
  #failedAt: number | undefined
  #blocks: { readonly iterator: Iterator<BackfillItem>; readonly to: number } | undefined

  constructor({ subscription, feed, from }: BackfillOptions, dependencies: BackfillDependencies) {
    this.#subscription = subscription
    this.#feed = feed
    this.#start = from
    this.#next = from
    this.#dependencies = dependencies
  }

  /** Sends one block. Returns false if it must not be called again, or not before the client has read. */
  deliverNext(): boolean {
    const { resume, onFailed } = this.#dependencies
    const { connection, isEnded } = this.#subscription
    if (isEnded) return false
    if (connection.isFull) {
      connection.onceDrained(resume)
      return false
    }
    try {
      return this.#deliver()
    } catch (error) {
      this.#blocks = undefined
      if (this.#failedAt === this.#next) onFailed(error)
      else setTimeout(resume, retryMs).unref()
      this.#failedAt = this.#next
      return false
    }
  }

  /** Handles a revert of blocks, some of which may have been sent. */
  revert(change: HeadRevert): void {
    const sentUpTo = this.#next
    this.#blocks = undefined
    if (sentUpTo === this.#start || sentUpTo <= change.to + 1) return
    this.#next = change.to + 1
    const notification = this.#feed.revertNotification(
      change,
      (number) => number >= this.#start && number < sentUpTo,
    )
    if (notification !== undefined) this.#subscription.deliver(notification)
  }

  #deliver(): boolean {
    const to = this.#dependencies.head()
    if (this.#blocks === undefined && this.#next > to) {
      this.#dependencies.onCaughtUp()
      return false
    }
    this.#blocks ??= { iterator: this.#feed.backfill(this.#next, to)[Symbol.iterator](), to }
    const { done, value } = this.#blocks.iterator.next()
    if (done === true) {
      this.#next = this.#blocks.to + 1
      this.#blocks = undefined
    } else {
      this.#next = value.number + 1
      if (value.notification !== undefined) this.#subscription.deliver(value.notification)
    }
    return true
  }
}
