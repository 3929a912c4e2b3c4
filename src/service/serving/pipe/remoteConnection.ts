import type { ClientConnection, Notification } from '../../../base/notification.ts'
import { type FrameChannel, frameKinds } from './frames.ts'

/** The unread bytes of a channel above which deferrable notifications wait. */
const fullAtBytes = 2 ** 20

/** A client's connection that another process has. */
export class RemoteConnection implements ClientConnection {
  readonly #id: number
  readonly #channel: FrameChannel
  #isClosed = false
  /** Whether its process says that the client has much unread. */
  #isFull = false
  readonly #onDrained: (() => void)[] = []
  readonly #onClosed: (() => void)[] = []

  constructor(id: number, channel: FrameChannel) {
    this.#id = id
    this.#channel = channel
  }

  get isFull(): boolean {
    return this.#isFull || this.#channel.backlog > fullAtBytes
  }

  push(notification: Notification, subscriptionId: Uint8Array): void {
    if (this.#isClosed) return
    for (const text of notification.textsFor(subscriptionId))
      this.#channel.sendText(frameKinds.push, this.#id, text)
  }

  /** To be called with what its process tells. */
  setFull(isFull: boolean): void {
    this.#isFull = isFull
    if (!isFull) for (const listener of this.#onDrained.splice(0)) listener()
  }

  onceDrained(listener: () => void): void {
    if (this.#isFull) this.#onDrained.push(listener)
    else this.#onceChannelDrained(listener)
  }

  #onceChannelDrained(listener: () => void): void {
    this.#channel.onceDrained(() => {
      if (!this.#isClosed) listener()
    })
  }

  onceClosed(listener: () => void): void {
    if (this.#isClosed) listener()
    else this.#onClosed.push(listener)
  }

  disconnect(message: string): void {
    this.#channel.sendText(frameKinds.disconnect, this.#id, message)
    this.close()
  }

  /** Calls the listeners of `onceClosed`: the client has left, or its process is gone. */
  close(): void {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#onDrained.length = 0
    for (const listener of this.#onClosed.splice(0)) listener()
  }
}
