import type { ClientConnection, Notification } from '../base/notification.ts'
import { createSubscriptionId } from './ethSubscription.ts'

/** What may wait until its client knows the id, in bytes. */
const maxHeldBytes = 4_000_000

/** One client's wish to be told of something. Until its id is on its way, what comes is held back. */
export class Subscription {
  readonly id: string
  /** Deliveries with lower numbers are none of its: they tell of what was before. */
  since: number
  readonly #name: Buffer
  readonly #connection: ClientConnection
  #held: Notification[] | undefined = []
  #heldBytes = 0
  #isEnded = false

  constructor(outlet: ClientConnection, since: number) {
    this.id = createSubscriptionId()
    this.since = since
    this.#name = Buffer.from(this.id, 'latin1')
    this.#connection = outlet
  }

  get isEnded(): boolean {
    return this.#isEnded
  }

  get outlet(): ClientConnection {
    return this.#connection
  }

  deliver(notification: Notification): void {
    if (this.#isEnded) return
    if (this.#held === undefined) return this.#connection.push(notification, this.#name)
    this.#held.push(notification)
    this.#heldBytes += notification.size
    if (this.#heldBytes > maxHeldBytes)
      this.#connection.disconnect('too much happened before the subscription was answered')
  }

  /** The client has the id: what was held back follows it. */
  activate(): void {
    const held = this.#held ?? []
    this.#held = undefined
    for (const notice of held) this.deliver(notice)
  }

  end(): void {
    this.#isEnded = true
    this.#held = undefined
  }
}
