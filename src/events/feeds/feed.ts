import type { Notification } from '../../base/notification.ts'
import type { HeadChange } from '../../chain/port/events.ts'
import type { Subscription } from '../subscription.ts'

/** Subscriptions that are told the same, in the same bytes. */
export class Feed {
  readonly members = new Set<Subscription>()
  /** Members, and those who will be when they were told of the past. */
  #users = 0

  retain(): void {
    this.#users++
  }

  release(subscription: Subscription): void {
    this.members.delete(subscription)
    if (--this.#users === 0) this.onEmpty()
  }

  /** Nobody is left. */
  protected onEmpty(): void {}
}

export type HeadRevert = Extract<HeadChange, { readonly kind: 'reverted' }>

/** What a feed has to say of one block. */
export interface BackfillItem {
  readonly number: number
  /** Undefined: nothing; so far the search has come. */
  readonly notification: Notification | undefined
}

/** A feed whose past can be told. */
export interface BlockFeed extends Feed {
  /** From a height to another, both included, in order; read as it is asked for. */
  backfill(from: number, to: number): Iterable<BackfillItem>
  /** Tells that blocks are gone to those who were told of the blocks that `isTold` names. */
  revertNotification(change: HeadRevert, isTold: (number: number) => boolean): Notification | undefined
}
