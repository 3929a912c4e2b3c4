import type { Notification } from '../../base/notification.ts'
import type { HeadChange } from '../../chain/port/events.ts'
import type { Subscription } from '../subscription.ts'

/** All subscriptions that receive the same notifications, in the same bytes. */
export class Feed {
  readonly members = new Set<Subscription>()
  /** The number of members and of subscriptions that become members after their backfill. */
  #users = 0

  retain(): void {
    this.#users++
  }

  release(subscription: Subscription): void {
    this.members.delete(subscription)
    if (--this.#users === 0) this.onEmpty()
  }

  /** Called when the last subscription has left. */
  protected onEmpty(): void {}
}

export type HeadRevert = Extract<HeadChange, { readonly kind: 'reverted' }>

/** The notification of a feed about one block. */
export interface BackfillItem {
  readonly number: number
  /** Undefined if there is nothing to report; the item then shows how far the search has come. */
  readonly notification: Notification | undefined
}

/** A feed that can be backfilled. */
export interface BlockFeed extends Feed {
  /** Returns the items of the blocks `from` to `to` (inclusive) in order. They are read lazily. */
  backfill(from: number, to: number): Iterable<BackfillItem>
  /**
   * Returns the notification of a revert for a subscription that was notified of the blocks for which `wasSent` is
   * true.
   */
  revertNotification(change: HeadRevert, wasSent: (number: number) => boolean): Notification | undefined
}
