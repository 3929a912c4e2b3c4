import type { BlockFeed, PastBlock, TakenBack } from './feeds/feed.ts'
import type { Subscription } from './subscription.ts'

export interface HistoryOptions {
  readonly subscription: Subscription
  readonly feed: BlockFeed
  /** The first block to tell of. */
  readonly from: number
}

export interface HistoryDependencies {
  /** The last block that the feed's members were told of, or are about to be. */
  readonly head: () => number
  /** The client has read: there is more to tell. */
  readonly goOn: () => void
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
export class History {
  readonly #subscription: Subscription
  readonly #feed: BlockFeed
  readonly #dependencies: HistoryDependencies
  readonly #start: number
  /** All blocks from the start to the one before this were told. */
  #next: number
  #failedAt: number | undefined
  #blocks: { readonly iterator: Iterator<PastBlock>; readonly to: number } | undefined

  constructor({ subscription, feed, from }: HistoryOptions, dependencies: HistoryDependencies) {
    this.#subscription = subscription
    this.#feed = feed
    this.#start = from
    this.#next = from
    this.#dependencies = dependencies
  }

  /** Tells of one block. False: it is not to be called again, or not before the client has read. */
  tellNext(): boolean {
    const { goOn, onFailed } = this.#dependencies
    const { outlet, isEnded } = this.#subscription
    if (isEnded) return false
    if (outlet.isFull) {
      outlet.onceDrained(goOn)
      return false
    }
    try {
      return this.#tell()
    } catch (error) {
      this.#blocks = undefined
      if (this.#failedAt === this.#next) onFailed(error)
      else setTimeout(goOn, retryMs).unref()
      this.#failedAt = this.#next
      return false
    }
  }

  /** Blocks are gone, some of which may have been told of. */
  takeBack(change: TakenBack): void {
    const told = this.#next
    this.#blocks = undefined
    if (told === this.#start || told <= change.to + 1) return
    this.#next = change.to + 1
    const notice = this.#feed.undone(change, (number) => number >= this.#start && number < told)
    if (notice !== undefined) this.#subscription.deliver(notice)
  }

  #tell(): boolean {
    const to = this.#dependencies.head()
    if (this.#blocks === undefined && this.#next > to) {
      this.#dependencies.onCaughtUp()
      return false
    }
    this.#blocks ??= { iterator: this.#feed.past(this.#next, to)[Symbol.iterator](), to }
    const { done, value } = this.#blocks.iterator.next()
    if (done === true) {
      this.#next = this.#blocks.to + 1
      this.#blocks = undefined
    } else {
      this.#next = value.number + 1
      if (value.notice !== undefined) this.#subscription.deliver(value.notice)
    }
    return true
  }
}
