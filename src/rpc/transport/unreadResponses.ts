import type { ServerResponse } from 'node:http'
import type { RpcMetrics } from '../metrics.ts'

/**
 * Answers that HTTP clients have not read yet. One client can hold no more than one answer and what it pipelined, all of
 * them together any amount: past the limit those are cut that have waited longest.
 */
export class UnreadResponses {
  readonly #limit: number
  readonly #metrics: RpcMetrics
  /** Bytes, the oldest first. */
  readonly #waiting = new Map<ServerResponse, number>()
  #bytes = 0

  constructor(limit: number, metrics: RpcMetrics) {
    this.#limit = limit
    this.#metrics = metrics
  }

  /** For an answer of so many bytes that was just handed over. Most are with the system by then, and cost nothing here. */
  watch(response: ServerResponse, bytes: number): void {
    if (response.writableLength === 0) return
    this.#waiting.set(response, bytes)
    this.#bytes += bytes
    response.once('close', () => this.#forget(response))
    for (const oldest of this.#waiting.keys()) {
      // The newest had no time to be slow yet.
      if (this.#bytes <= this.#limit || oldest === response) return
      this.#metrics.rejected('backlog')
      this.#forget(oldest)
      oldest.destroy()
    }
  }

  #forget(response: ServerResponse): void {
    this.#bytes -= this.#waiting.get(response) ?? 0
    this.#waiting.delete(response)
  }
}
