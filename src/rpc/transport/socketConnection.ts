import type { Socket } from 'node:net'
import type { ClientConnection, Framing, Notification } from '../../base/notification.ts'
import type { BacklogClient, SendBacklog } from './backlog.ts'

/** Why we end a connection: `at once` where the client does not even get the time to read why. */
export type CloseReason = 'slow' | 'slow, at once' | 'failed'

export interface SocketConnectionOptions {
  readonly socket: Socket
  readonly framing: Framing
  /** The most bytes that may wait for the client. */
  readonly maxBacklog: number
  /** Shared by all sockets of a server. */
  readonly backlog: SendBacklog
  /** False once either side has begun to say goodbye. */
  readonly isOpen: () => boolean
  readonly end: (ending: CloseReason, why: string) => void
}

/** What can wait waits while more than this is unread. */
const fullAtBytes = 262_144

/** The sending half of a WebSocket or an IPC connection: keeps the books of what waits, and cuts off who does not read. */
export class SocketConnection implements ClientConnection, BacklogClient {
  readonly #options: SocketConnectionOptions
  readonly #fullAt: number
  #waiting = 0
  #isBehind = false
  #isClosed = false
  #drained: (() => void)[] = []
  #closed: (() => void)[] = []

  constructor(options: SocketConnectionOptions) {
    this.#options = options
    this.#fullAt = Math.min(fullAtBytes, options.maxBacklog / 2)
  }

  get waiting(): number {
    return this.#waiting
  }

  get isBehind(): boolean {
    return this.#isBehind
  }

  get isFull(): boolean {
    return this.#options.socket.writableLength > this.#fullAt
  }

  /** To be called after every write, when it is done, and when the socket is closed. */
  readonly updateBacklog = (): void => {
    const { socket, backlog } = this.#options
    const before = this.#waiting
    const now = socket.destroyed ? 0 : socket.writableLength
    if (now !== before) {
      this.#waiting = now
      backlog.update(this, before, this.#isClosed)
    }
    if (now > 0) return
    this.#isBehind = false
    if (this.#drained.length === 0 || this.#isClosed) return
    const drained = this.#drained
    this.#drained = []
    for (const listener of drained) listener()
  }

  /** Whether more may be sent. A client that was too slow is cut off here: what waits from before counts, not what comes. */
  mayWrite(): boolean {
    const { maxBacklog, backlog, isOpen } = this.#options
    if (this.#isClosed || !isOpen()) return false
    if (this.#waiting === 0) return true
    this.#isBehind = true
    if (this.#waiting > maxBacklog) this.disconnectSlow()
    else backlog.shedLoad()
    return !this.#isClosed
  }

  push(notification: Notification, name: Uint8Array): void {
    if (!this.mayWrite()) return
    const { socket, framing } = this.#options
    notification.framedBy(framing).writeTo(socket, name, this.updateBacklog)
    this.updateBacklog()
  }

  onceDrained(listener: () => void): void {
    this.#drained.push(listener)
  }

  onceClosed(listener: () => void): void {
    if (this.#isClosed) listener()
    else this.#closed.push(listener)
  }

  disconnectSlow(): void {
    const { backlog, end } = this.#options
    const ending = backlog.allowsGrace ? 'slow' : 'slow, at once'
    this.close()
    end(ending, 'too slow: what was sent before was not read')
  }

  disconnect(why: string): void {
    if (this.#isClosed) return
    this.close()
    this.#options.end('failed', why)
  }

  /** Nothing is sent from now on. */
  close(): void {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#options.backlog.remove(this)
    this.#drained = []
    const closed = this.#closed
    this.#closed = []
    for (const listener of closed) listener()
  }
}
