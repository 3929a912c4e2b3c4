import type { SocketConnection } from './socketConnection.ts'

/** The pings and pongs that a client may send in a second, and at once. Clients send one in many seconds. */
const framesPerSecond = 100
const maxBurst = 1000

/**
 * The pings and pongs of one WebSocket. A client that does not read cannot pile up responses: while anything is unread
 * only the newest ping is remembered, to which alone RFC 6455 (5.5.3) wants a pong.
 */
export class ControlFrames {
  readonly #connection: SocketConnection
  readonly #sendPong: (data: Buffer) => void
  #left = maxBurst
  #refilledAt = performance.now()
  #unanswered: Buffer | undefined

  constructor(connection: SocketConnection, sendPong: (data: Buffer) => void) {
    this.#connection = connection
    this.#sendPong = sendPong
  }

  /** Counts a frame. Returns false if the client sends too many. */
  admit(now = performance.now()): boolean {
    const refill = ((now - this.#refilledAt) / 1000) * framesPerSecond
    this.#left = Math.min(maxBurst, this.#left + refill) - 1
    this.#refilledAt = now
    return this.#left >= 0
  }

  /** Answers a ping at once, or when the client has read what was sent before. */
  onPing(data: Buffer): void {
    this.#connection.updateBacklog()
    if (this.#connection.waiting === 0) return this.#sendPong(data)
    if (this.#unanswered === undefined) this.#connection.onceDrained(() => this.#answer())
    // A copy, because the payload is a part of all that was read with it.
    this.#unanswered = Buffer.from(data)
  }

  #answer(): void {
    const data = this.#unanswered
    this.#unanswered = undefined
    if (data !== undefined) this.#sendPong(data)
  }
}
