import type { Socket } from 'node:net'
import type { TransportName } from '../access/access.ts'
import type { RpcMetrics } from '../metrics.ts'

/** Counts the open connections of all listeners together and closes those above the limit. */
export class ConnectionLimiter {
  #limit: number
  readonly #metrics: RpcMetrics
  readonly #open = new Map<Socket, TransportName>()

  constructor(limit: number, metrics: RpcMetrics) {
    this.#limit = limit
    this.#metrics = metrics
  }

  /** Sets another limit; connections above it that are open stay open. */
  setLimit(limit: number): void {
    this.#limit = limit
  }

  /** Counts a connection. Returns false if there are too many; the socket is closed then. */
  admit(socket: Socket, transport: TransportName): boolean {
    // A socket that was handed back to the HTTP parser arrives again.
    if (this.#open.has(socket)) return true
    if (this.#open.size >= this.#limit) {
      this.#metrics.rejected('connections')
      socket.destroy()
      return false
    }
    this.#open.set(socket, transport)
    this.#metrics.connectionOpened(transport)
    socket.once('close', () => {
      this.#metrics.connectionClosed(this.#open.get(socket) ?? transport)
      this.#open.delete(socket)
    })
    return true
  }

  /** Counts an HTTP connection as a WebSocket from now on. */
  onUpgrade(socket: Socket): void {
    if (!this.#open.has(socket)) return
    this.#open.set(socket, 'ws')
    this.#metrics.connectionClosed('http')
    this.#metrics.connectionOpened('ws')
  }
}
