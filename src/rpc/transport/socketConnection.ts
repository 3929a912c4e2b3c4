import type { Socket } from 'node:net'
import { giveBack } from '../../base/lentBytes.ts'
import type { ClientConnection, Framing, Notification } from '../../base/notification.ts'
import type { PiecedResponse } from '../dispatch/batchResponse.ts'
import type { BacklogClient, SendBacklog } from './backlog.ts'

/** The reason why the server ends a connection; with `at once` the client gets no time to read the close message. */
export type CloseReason = 'slow' | 'slow, at once' | 'failed'

export interface SocketConnectionOptions {
  readonly socket: Socket
  readonly framing: Framing
  /** The maximum of unread bytes of one client. */
  readonly maxBacklog: number
  /** Shared by all sockets of a server. */
  readonly backlog: SendBacklog
  /** Returns false once either side has started to close. */
  readonly isOpen: () => boolean
  readonly end: (reason: CloseReason, message: string) => void
}

/** The memory of a write that waits, beside its bytes: Node keeps a record, a callback and a buffer of each. */
const bytesPerWrite = 256

/** The number of unread bytes above which the connection is full and deferrable notifications wait. */
const fullAtBytes = 262_144

/**
 * The sending half of a WebSocket or an IPC connection. It tracks unread bytes and disconnects clients that do not
 * read.
 */
export class SocketConnection implements ClientConnection, BacklogClient {
  readonly #options: SocketConnectionOptions
  readonly #fullAt: number
  #waiting = 0
  /** The number of writes that are not done. */
  #writes = 0
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

  /** Counts a write that was just made. `onWritten` must have been given to it. */
  countWrite(): void {
    this.#writes++
    this.updateBacklog()
    if (this.#waiting > 0) this.#options.backlog.shedLoad(this)
  }

  /** To be called when a write is done. */
  readonly onWritten = (): void => {
    this.#writes--
    this.updateBacklog()
  }

  /** Updates the count of unread bytes, which is called after the close too. */
  updateBacklog(): void {
    const { socket, backlog } = this.#options
    const before = this.#waiting
    const unread = socket.destroyed ? 0 : socket.writableLength
    const now = unread === 0 ? 0 : unread + this.#writes * bytesPerWrite
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

  /**
   * Returns whether more may be sent. It disconnects a slow client, judged by what is unread before the new message.
   */
  mayWrite(): boolean {
    const { maxBacklog, backlog, isOpen } = this.#options
    if (this.#isClosed || !isOpen()) return false
    if (this.#waiting === 0) return true
    this.#isBehind = true
    if (this.#waiting > maxBacklog) this.disconnectSlow()
    else backlog.shedLoad(this)
    return !this.#isClosed
  }

  /** Writes a long response as one message, so that it is never copied as a whole. Returns false if the socket is full. */
  writePieces({ pieces, size }: PiecedResponse): boolean {
    const { socket, framing } = this.#options
    socket.cork()
    socket.write(framing.open(size))
    for (const piece of pieces) socket.write(piece)
    const hasCapacity = socket.write(framing.close, this.onWritten)
    socket.uncork()
    this.countWrite()
    // The kernel has all of it.
    if (socket.writableLength === 0) for (const piece of pieces) giveBack(piece)
    return hasCapacity
  }

  /** Writes a message that is framed already, one character a byte. */
  writeFramed(frame: string): void {
    this.#options.socket.write(frame, 'latin1', this.onWritten)
    this.countWrite()
  }

  push(notification: Notification, name: Uint8Array): void {
    if (!this.mayWrite()) return
    const { socket, framing } = this.#options
    notification.framedBy(framing).writeTo(socket, name, this.onWritten)
    this.countWrite()
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
    const reason = backlog.allowsGrace ? 'slow' : 'slow, at once'
    this.close()
    end(reason, 'too slow: what was sent before was not read')
    // What a destroyed socket held is given back at once.
    this.updateBacklog()
  }

  cut(): void {
    this.#options.socket.destroy()
    this.updateBacklog()
  }

  disconnect(message: string): void {
    if (this.#isClosed) return
    this.close()
    this.#options.end('failed', message)
  }

  /** Stops sending and calls the listeners of `onceClosed`. */
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
