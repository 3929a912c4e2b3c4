import type { ClientConnection, Notification } from '../base/notification.ts'
import { createSubscriptionId } from './ethSubscription.ts'

/** The maximum size of the notifications that wait until the client knows the id, in bytes. */
const maxHeldBytes = 4_000_000

/** One subscription of a client. Notifications are held back until its id has been sent. */
export class Subscription {
  readonly id: string
  /** The number of its first delivery. Earlier ones are about events before the subscription. */
  since: number
  readonly #idBytes: Buffer
  readonly #connection: ClientConnection
  #held: Notification[] | undefined = []
  #heldBytes = 0
  #isEnded = false

  constructor(connection: ClientConnection, since: number) {
    this.id = createSubscriptionId()
    this.since = since
    this.#idBytes = Buffer.from(this.id, 'latin1')
    this.#connection = connection
  }

  get isEnded(): boolean {
    return this.#isEnded
  }

  get connection(): ClientConnection {
    return this.#connection
  }

  deliver(notification: Notification): void {
    if (this.#isEnded) return
    if (this.#held === undefined) return this.#connection.push(notification, this.#idBytes)
    this.#held.push(notification)
    this.#heldBytes += notification.size
    if (this.#heldBytes > maxHeldBytes)
      this.#connection.disconnect('too much happened before the subscription was answered')
  }

  /** Sends what was held back, after the id has been sent. */
  activate(): void {
    const held = this.#held ?? []
    this.#held = undefined
    for (const notification of held) this.deliver(notification)
  }

  end(): void {
    this.#isEnded = true
    this.#held = undefined
  }
}
