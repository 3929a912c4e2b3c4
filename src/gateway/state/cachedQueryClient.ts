import { LRUCache } from 'lru-cache'
import type { NativeQueryClient, ProvenValue } from '../client/nativeQueryClient.ts'

export interface CacheOptions {
  /** Of all answers that are kept. */
  readonly bytes: number
  /** A longer answer is not kept. */
  readonly maxAnswerBytes: number
  /** Whether an answer holds for ever: one that says that it could not be found out does not. */
  readonly isFinal: (path: string, answer: Uint8Array) => boolean
}

/** What an entry takes beside its answer. */
const overhead = 200

/**
 * Questions to an application. Blocks are final: what was answered for a height is so for ever, and is kept while there
 * is room. That the same question in flight is asked once is for who asks the nodes.
 */
export class CachedQueryClient implements NativeQueryClient {
  readonly #queries: NativeQueryClient
  readonly #isFinal: CacheOptions['isFinal']
  readonly #known: LRUCache<string, Uint8Array> | undefined

  #hits = 0

  constructor(options: CacheOptions, queries: NativeQueryClient) {
    this.#queries = queries
    this.#isFinal = options.isFinal
    this.#known =
      options.bytes === 0
        ? undefined
        : new LRUCache({
            maxSize: options.bytes,
            maxEntrySize: Math.min(options.maxAnswerBytes, options.bytes),
            sizeCalculation: (answer, key) => answer.length + key.length + overhead,
          })
  }

  /** Questions that were answered from here. */
  get hits(): number {
    return this.#hits
  }

  async query(
    path: string,
    request: Uint8Array,
    height: number | undefined,
    signal: AbortSignal,
  ): Promise<Uint8Array> {
    if (height === undefined || this.#known === undefined)
      return this.#queries.query(path, request, height, signal)
    const key = `${height} ${path} ${Buffer.from(request).toString('latin1')}`
    const known = this.#known.get(key)
    if (known !== undefined) {
      this.#hits++
      return known
    }
    const answer = await this.#queries.query(path, request, height, signal)
    if (this.#isFinal(path, answer)) this.#known.set(key, answer)
    return answer
  }

  prove(store: string, key: Uint8Array, height: number, signal: AbortSignal): Promise<ProvenValue> {
    return this.#queries.prove(store, key, height, signal)
  }
}
