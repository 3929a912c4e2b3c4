import { LRUCache } from 'lru-cache'
import type { NativeQueryClient, ProvenValue } from '../client/nativeQueryClient.ts'

export interface CacheOptions {
  /** The size of all cached responses, in bytes. */
  readonly bytes: number
  /** The size in bytes above which a response is not cached. */
  readonly maxResponseBytes: number
  /** Returns whether a response never changes; one that reports an error may. */
  readonly isFinal: (path: string, response: Uint8Array) => boolean
}

/** The memory that an entry uses beside its response, in bytes. */
const overhead = 200

/**
 * Queries of an application with a cache. Blocks are final, so a response for a height never changes and is cached
 * while there is room. Equal queries in flight are shared by the upstream client, not here.
 */
export class CachedQueryClient implements NativeQueryClient {
  readonly #queries: NativeQueryClient
  readonly #isFinal: CacheOptions['isFinal']
  readonly #cache: LRUCache<string, Uint8Array> | undefined

  #hits = 0

  constructor(options: CacheOptions, queries: NativeQueryClient) {
    this.#queries = queries
    this.#isFinal = options.isFinal
    this.#cache =
      options.bytes === 0
        ? undefined
        : new LRUCache({
            maxSize: options.bytes,
            maxEntrySize: Math.min(options.maxResponseBytes, options.bytes),
            sizeCalculation: (response, key) => response.length + key.length + overhead,
          })
  }

  /** The number of queries that were answered from the cache. */
  get hits(): number {
    return this.#hits
  }

  async query(
    path: string,
    request: Uint8Array,
    height: number | undefined,
    signal: AbortSignal,
  ): Promise<Uint8Array> {
    if (height === undefined || this.#cache === undefined)
      return this.#queries.query(path, request, height, signal)
    const key = `${height} ${path} ${Buffer.from(request).toString('latin1')}`
    const known = this.#cache.get(key)
    if (known !== undefined) {
      this.#hits++
      return known
    }
    const response = await this.#queries.query(path, request, height, signal)
    if (this.#isFinal(path, response)) this.#cache.set(key, response)
    return response
  }

  prove(store: string, key: Uint8Array, height: number, signal: AbortSignal): Promise<ProvenValue> {
    return this.#queries.prove(store, key, height, signal)
  }
}
