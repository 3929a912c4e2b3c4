import type { Notification } from '../base/notification.ts'
import { TimeSlice } from '../base/threads/timeSlice.ts'
import type { Backfill } from './backfill.ts'
import type { Subscription } from './subscription.ts'

interface Delivery {
  readonly number: number
  readonly members: ReadonlySet<Subscription>
  readonly notification: Notification
}

/** The time that a live delivery may take per event-loop turn, so that calls are answered in between. */
const liveSliceMs = 10
/** The longest time per turn when the queue is long. It slows down the production of blocks, which is intended. */
const maxSliceMs = 50

/** The number of members between two looks at the clock. */
const membersAtOnce = 32

/** Delivers notifications to the members of feeds in order, and runs backfills. */
export class DeliveryQueue {
  readonly #queue: Delivery[] = []
  readonly #backfills = new Set<Backfill>()
  #added = 0
  /** The members that the first delivery has not reached yet. */
  #members: Iterator<Subscription> | undefined
  #isScheduled = false

  /** The number of the next delivery. */
  get next(): number {
    return this.#added
  }

  add(members: ReadonlySet<Subscription>, notification: Notification): void {
    this.#queue.push({ number: this.#added++, members, notification })
    this.#schedule()
  }

  /** Continues a backfill until it ends or its connection is full. */
  resumeBackfill(backfill: Backfill): void {
    this.#backfills.add(backfill)
    this.#schedule()
  }

  #schedule(): void {
    if (this.#isScheduled) return
    this.#isScheduled = true
    setImmediate(() => {
      this.#isScheduled = false
      this.#deliver(new TimeSlice(Math.min(liveSliceMs * this.#queue.length, maxSliceMs)))
      this.#deliverBackfills(new TimeSlice())
      if (this.#queue.length > 0 || this.#backfills.size > 0) this.#schedule()
    })
  }

  #deliver(slice: TimeSlice): void {
    let delivery = this.#queue[0]
    while (delivery !== undefined) {
      // A set is iterated in the order of insertion: a member that joins meanwhile comes last and is skipped by its
      // number, and one that leaves is not reached.
      this.#members ??= delivery.members.values()
      for (let served = 1; ; served++) {
        const { done, value } = this.#members.next()
        if (done === true) break
        if (value.since <= delivery.number) value.deliver(delivery.notification)
        if (served % membersAtOnce === 0 && slice.isOver) return
      }
      this.#members = undefined
      this.#queue.shift()
      delivery = this.#queue[0]
    }
  }

  /** Delivers one block of each backfill in turn. */
  #deliverBackfills(slice: TimeSlice): void {
    while (this.#backfills.size > 0) {
      for (const backfill of this.#backfills) {
        if (!backfill.deliverNext()) this.#backfills.delete(backfill)
        if (slice.isOver) return
      }
    }
  }
}
