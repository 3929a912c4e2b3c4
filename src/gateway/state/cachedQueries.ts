import { LRUCache } from 'lru-cache'
import type { NativeQueries, ProvenValue } from '../client/nativeQueries.ts'
import { SharedWork } from './sharedWork.ts'

export interface CacheLimits {
  /** Of all answers that are kept. */
  readonly bytes: number
  /** A longer answer is not kept. */
  readonly answerBytes: number
}

/** What an entry takes beside its answer. */
const overhead = 200

/**
 * Questions to an application, each asked once while it is in flight. Blocks are final: what was answered for a height
 * is so for ever, and is kept while there is room.
 */
export class CachedQueries implements NativeQueries {
  readonly #queries: NativeQueries
  readonly #known: LRUCache<string, Uint8Array>
  readonly #answers = new SharedWork<Uint8Array>()
  readonly #proofs = new SharedWork<ProvenValue>()

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
    return this.#answers.run(key, (all) => this.#ask(key, path, request, height, all), signal)
  }

  prove(store: string, key: Uint8Array, height: number, signal: AbortSignal): Promise<ProvenValue> {
    const name = `${height} ${store} ${Buffer.from(key).toString('latin1')}`
    return this.#proofs.run(name, (all) => this.#queries.prove(store, key, height, all), signal)
  }

  async #ask(key: string, path: string, request: Uint8Array, height: number, signal: AbortSignal) {
    const answer = await this.#queries.query(path, request, height, signal)
    this.#known.set(key, answer)
    return answer
  }
}
