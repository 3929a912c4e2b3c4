import type { ServerResponse } from 'node:http'
import type { RpcMetrics } from '../metrics.ts'

/**
 * The responses that HTTP clients have not read yet. One client can hold only one response and those that it pipelined,
 * but many clients can hold any amount: above the limit the responses that have waited longest are destroyed.
 */
export class UnreadResponses {
  readonly #limit: number
  readonly #metrics: RpcMetrics
  /** The size of each unread response in bytes, the oldest first. */
  readonly #waiting = new Map<ServerResponse, number>()
  #bytes = 0

  constructor(limit: number, metrics: RpcMetrics) {
    this.#limit = limit
    this.#metrics = metrics
  }

  /**
   * Tracks a response of `bytes` bytes that was just written. Most are flushed to the kernel by then and are not
   * tracked.
   */
  watch(response: ServerResponse, bytes: number): void {
    if (response.writableLength === 0) return
    this.#waiting.set(response, bytes)
    this.#bytes += bytes
    response.once('close', () => this.#remove(response))
    for (const oldest of this.#waiting.keys()) {
      // The newest response had no time to be read yet.
      if (this.#bytes <= this.#limit || oldest === response) return
      this.#metrics.rejected('backlog')
      this.#remove(oldest)
      oldest.destroy()
    }
  }

  #remove(response: ServerResponse): void {
    this.#bytes -= this.#waiting.get(response) ?? 0
    this.#waiting.delete(response)
  }
}
