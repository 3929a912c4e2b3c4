import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { RequestScope } from '../../dispatch/requestScope.ts'
import type { UnreadMemory } from '../../memoryBudget.ts'
import type { RpcMetrics } from '../../metrics.ts'

/** What was written to a socket and is not read yet. */
export interface WrittenResponse {
  readonly socket: Socket
  /** Calls `listener` when all of it is read. */
  onceRead(listener: () => void): void
  destroy(): void
}

interface UnreadResponse {
  readonly bytes: number
  readonly scope: Pick<RequestScope, 'release'>
}

/**
 * The responses that HTTP clients have not read yet. One client can hold only one response and those that it pipelined,
 * but many clients can hold any amount: above the limit the responses that have waited longest are destroyed.
 */
export class UnreadResponses implements UnreadMemory {
  readonly #limit: number
  readonly #metrics: RpcMetrics
  /** The unread responses, the oldest first. */
  readonly #waiting = new Map<WrittenResponse, UnreadResponse>()
  /** The same by their sockets: a response behind another one of its socket is not told when that is closed. */
  readonly #bySocket = new Map<Socket, Set<WrittenResponse>>()
  #bytes = 0

  constructor(limit: number, metrics: RpcMetrics) {
    this.#limit = limit
    this.#metrics = metrics
  }

  /**
   * Tracks a response of Node of `bytes` bytes that was just written, and releases its scope when it was read. Most are
   * flushed to the kernel by then and are not tracked.
   */
  watchResponse(response: ServerResponse, bytes: number, scope: UnreadResponse['scope']): void {
    if (response.writableLength === 0) return scope.release()
    const written: WrittenResponse = {
      socket: response.req.socket,
      onceRead: (listener) => void response.once('close', listener),
      destroy: () => void response.destroy(),
    }
    this.watch(written, bytes, scope)
  }

  /** Tracks a response that the kernel did not take as a whole, and releases its scope when it was read. */
  watch(response: WrittenResponse, bytes: number, scope: UnreadResponse['scope']): void {
    // A closed socket emits no second `close`.
    if (response.socket.destroyed) return scope.release()
    this.#waiting.set(response, { bytes, scope })
    this.#bytes += bytes
    response.onceRead(() => this.#remove(response))
    this.#responsesOf(response.socket).add(response)
    // The newest response had no time to be read yet.
    while (this.#bytes > this.#limit && this.#waiting.size > 1) this.cutSlowest()
  }

  get unread(): number {
    return this.#bytes
  }

  /** Destroys the response that has waited longest. */
  cutSlowest(): boolean {
    const [oldest] = this.#waiting.keys()
    if (oldest === undefined) return false
    this.#metrics.rejected('backlog')
    this.#remove(oldest)
    oldest.destroy()
    return true
  }

  #responsesOf(socket: Socket): Set<WrittenResponse> {
    let responses = this.#bySocket.get(socket)
    if (responses === undefined) {
      responses = new Set()
      this.#bySocket.set(socket, responses)
      socket.once('close', () => {
        for (const response of this.#bySocket.get(socket) ?? []) this.#remove(response)
        this.#bySocket.delete(socket)
      })
    }
    return responses
  }

  #remove(response: WrittenResponse): void {
    const unread = this.#waiting.get(response)
    if (unread === undefined) return
    this.#waiting.delete(response)
    this.#bySocket.get(response.socket)?.delete(response)
    this.#bytes -= unread.bytes
    unread.scope.release()
  }
}
