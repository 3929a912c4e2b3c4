import type { ClientConnection, Notification } from '../../base/notification.ts'
import { type FrameChannel, frameKinds } from './frames.ts'

/** The unread bytes of a channel above which deferrable notifications wait. */
const fullAtBytes = 2 ** 20

/** A client's connection that another process has. */
export class RemoteConnection implements ClientConnection {
  readonly #id: number
  readonly #channel: FrameChannel
  #isClosed = false
  readonly #onClosed: (() => void)[] = []

  constructor(id: number, channel: FrameChannel) {
    this.#id = id
    this.#channel = channel
  }

  get isFull(): boolean {
    return this.#channel.backlog > fullAtBytes
  }

  push(notification: Notification, subscriptionId: Uint8Array): void {
    if (this.#isClosed) return
    for (const text of notification.textsFor(subscriptionId))
      this.#channel.sendText(frameKinds.push, this.#id, text)
  }

  onceDrained(listener: () => void): void {
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
    for (const listener of this.#onClosed.splice(0)) listener()
  }
}
