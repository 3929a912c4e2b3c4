import type { BackfillItem, BlockFeed, HeadRevert } from './feeds/feed.ts'
import type { Subscription } from './subscription.ts'

export interface BackfillOptions {
  readonly subscription: Subscription
  readonly feed: BlockFeed
  /** The first block to tell of. */
  readonly from: number
}

export interface BackfillDependencies {
  /** The last block that the feed's members were told of, or are about to be. */
  readonly head: () => number
  /** The client has read: there is more to tell. */
  readonly resume: () => void
  /** All of the past is told: live from here. */
  readonly onCaughtUp: () => void
  /** What is to be told cannot be read. */
  readonly onFailed: (error: unknown) => void
}

/** A block that is about to be taken back may be gone before that is told: reading goes on after this long. */
const retryMs = 500

/**
 * The blocks that a subscription wants from before it was made. It is told of them as fast as its client reads, however
 * many more come meanwhile, and joins the members of its feed in the very turn in which none is left.
 */
export class Backfill {
  readonly #subscription: Subscription
  readonly #feed: BlockFeed
  readonly #dependencies: BackfillDependencies
  readonly #start: number
  /** All blocks from the start to the one before this were told. */
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

  /** Tells of one block. False: it is not to be called again, or not before the client has read. */
  deliverNext(): boolean {
    const { resume, onFailed } = this.#dependencies
    const { outlet: connection, isEnded } = this.#subscription
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

  /** Blocks are gone, some of which may have been told of. */
  revert(change: HeadRevert): void {
    const told = this.#next
    this.#blocks = undefined
    if (told === this.#start || told <= change.to + 1) return
    this.#next = change.to + 1
    const notification = this.#feed.revertNotification(
      change,
      (number) => number >= this.#start && number < told,
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
