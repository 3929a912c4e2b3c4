import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { RequestScope } from '../dispatch/requestScope.ts'
import type { UnreadMemory } from '../memoryBudget.ts'
import type { RpcMetrics } from '../metrics.ts'

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
  readonly #waiting = new Map<ServerResponse, UnreadResponse>()
  /** The same by their sockets: a response behind another one of its socket is not told when that is closed. */
  readonly #bySocket = new Map<Socket, Set<ServerResponse>>()
  #bytes = 0

  constructor(limit: number, metrics: RpcMetrics) {
    this.#limit = limit
    this.#metrics = metrics
  }

  /**
   * Tracks a response of `bytes` bytes that was just written, and releases its scope when it was read. Most are flushed
   * to the kernel by then and are not tracked.
   */
  watch(response: ServerResponse, bytes: number, scope: UnreadResponse['scope']): void {
    if (response.writableLength === 0) return scope.release()
    this.#waiting.set(response, { bytes, scope })
    this.#bytes += bytes
    response.once('close', () => this.#remove(response))
    this.#responsesOf(response.req.socket).add(response)
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

  #responsesOf(socket: Socket): Set<ServerResponse> {
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

  #remove(response: ServerResponse): void {
    const unread = this.#waiting.get(response)
    if (unread === undefined) return
    this.#waiting.delete(response)
    this.#bySocket.get(response.req.socket)?.delete(response)
    this.#bytes -= unread.bytes
    unread.scope.release()
  }
}
