import type { Notification } from '../base/notification.ts'
import { TimeSlice } from '../base/timeSlice.ts'
import type { Backfill } from './backfill.ts'
import type { Subscription } from './subscription.ts'

interface Delivery {
  readonly number: number
  readonly members: ReadonlySet<Subscription>
  readonly notification: Notification
}

/** What one turn of the event loop may take, so that calls are answered in between. */
const liveSliceMs = 10
/** With much to deliver a turn is longer: who makes blocks faster than they can be told of has to wait. */
const maxSliceMs = 50

/** The clock is looked at once for this many members. */
const membersAtOnce = 32

/** Brings notices to the members of feeds, one after the other, and the past to those who asked for it. */
export class DeliveryQueue {
  readonly #queue: Delivery[] = []
  readonly #backfills = new Set<Backfill>()
  #added = 0
  /** The members of the first delivery that are still to be served. */
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

  /** Goes on with a history, until it is over or its client has enough to read. */
  resumeBackfill(history: Backfill): void {
    this.#backfills.add(history)
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
      // A set's own order: who joins meanwhile comes last and is passed over, who leaves is not met.
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

  /** One block of each in turn. */
  #deliverBackfills(slice: TimeSlice): void {
    while (this.#backfills.size > 0) {
      for (const history of this.#backfills) {
        if (!history.deliverNext()) this.#backfills.delete(history)
        if (slice.isOver) return
      }
    }
  }
}
