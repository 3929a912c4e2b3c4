import { LRUCache } from 'lru-cache'
import type { NativeQueries, ProvenValue } from '../client/nativeQueries.ts'

export interface CacheLimits {
  /** Of all answers that are kept. */
  readonly bytes: number
  /** A longer answer is not kept. */
  readonly answerBytes: number
}

/** What an entry takes beside its answer. */
const overhead = 200

/**
 * Questions to an application. Blocks are final: what was answered for a height is so for ever, and is kept while there
 * is room. That the same question in flight is asked once is for who asks the nodes.
 */
export class CachedQueries implements NativeQueries {
  readonly #queries: NativeQueries
  readonly #known: LRUCache<string, Uint8Array>

  constructor(limits: CacheLimits, queries: NativeQueries) {
    this.#queries = queries
    this.#known = new LRUCache({
      maxSize: limits.bytes,
      maxEntrySize: limits.answerBytes,
      sizeCalculation: (answer, key) => answer.length + key.length + overhead,
    })
  }

  async query(
    path: string,
    request: Uint8Array,
    height: number | undefined,
    signal: AbortSignal,
  ): Promise<Uint8Array> {
    if (height === undefined) return this.#queries.query(path, request, height, signal)
    const key = `${height} ${path} ${Buffer.from(request).toString('latin1')}`
    const known = this.#known.get(key)
    if (known !== undefined) return known
    const answer = await this.#queries.query(path, request, height, signal)
    this.#known.set(key, answer)
    return answer
  }

  prove(store: string, key: Uint8Array, height: number, signal: AbortSignal): Promise<ProvenValue> {
    return this.#queries.prove(store, key, height, signal)
  }
}
