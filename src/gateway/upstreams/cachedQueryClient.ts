import { LRUCache } from 'lru-cache'
import type { NativeQueryClient, ProvenValue, ResponseCheck } from '../../comet/data/nativeQuery.ts'
import type { StateOutcome } from '../../light/state/stateProofs.ts'

/** A response, and whether it was proven or why it was believed; undefined if nothing proves responses of its kind. */
export interface StateAnswer {
  readonly response: Uint8Array
  readonly outcome: StateOutcome | undefined
}

/** Queries of an application that tell how their responses were served. */
export interface StateAnswers extends Pick<NativeQueryClient, 'prove'> {
  answer(
    path: string,
    request: Uint8Array,
    height: number | undefined,
    signal: AbortSignal,
    isReadable?: ResponseCheck,
  ): Promise<StateAnswer>
}

export interface CacheOptions {
  /** The size of all cached responses, in bytes. */
  readonly bytes: number
  /** The size in bytes above which a response is not cached. */
  readonly maxResponseBytes: number
  /** Returns whether a response never changes; an error may. */
  readonly isFinal: (path: string, response: Uint8Array) => boolean
  /** Returns whether a response that was served in this way would be proven now; it is requested again then. */
  readonly canProveMore?: ((outcome: StateOutcome | undefined, height: number) => boolean) | undefined
}

/** The memory that an entry uses beside its response, in bytes. */
const overhead = 200

/**
 * Queries of an application with a cache. Blocks are final, so a response for a height never changes, unless it depends on
 * more than the state or reports an error, and is cached while there is room. Equal queries in flight are shared by the upstream client, not here.
 */
export class CachedQueryClient implements NativeQueryClient {
  readonly #queries: StateAnswers
  readonly #isFinal: CacheOptions['isFinal']
  readonly #canProveMore: CacheOptions['canProveMore']
  readonly #cache: LRUCache<string, StateAnswer> | undefined

  #hits = 0

  constructor(options: CacheOptions, queries: StateAnswers) {
    this.#queries = queries
    this.#isFinal = options.isFinal
    this.#canProveMore = options.canProveMore
    this.#cache =
      options.bytes === 0
        ? undefined
        : new LRUCache({
            maxSize: options.bytes,
            maxEntrySize: Math.min(options.maxResponseBytes, options.bytes),
            sizeCalculation: ({ response }, key) => response.length + key.length + overhead,
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
    isReadable?: ResponseCheck,
  ): Promise<Uint8Array> {
    if (height === undefined || this.#cache === undefined)
      return (await this.#queries.answer(path, request, height, signal, isReadable)).response
    const key = `${height} ${path} ${Buffer.from(request).toString('latin1')}`
    const known = this.#cache.get(key)
    if (known !== undefined && !this.#canProveMore?.(known.outcome, height)) {
      this.#hits++
      return known.response
    }
    const answer = await this.#queries.answer(path, request, height, signal, isReadable)
    if (this.#isFinal(path, answer.response)) this.#cache.set(key, answer)
    return answer.response
  }

  prove(store: string, key: Uint8Array, height: number, signal: AbortSignal): Promise<ProvenValue> {
    return this.#queries.prove(store, key, height, signal)
  }
}
