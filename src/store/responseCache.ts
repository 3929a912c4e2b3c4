import { LRUCache } from 'lru-cache'

/** The kinds of large responses about a block. */
const kinds = { full: 0, hashes: 1, receipts: 2 } as const

export type ResponseKind = keyof typeof kinds

interface CachedResponse {
  /** The row of the block's header. */
  readonly header: Uint8Array
  readonly text: Uint8Array
}

/** The size below which a response is read faster than it is cached. */
const minCachedLength = 16_384

export const isCacheable = ({ length }: Uint8Array): boolean => length >= minCachedLength

/** Caches recent large responses, up to a number of bytes. */
export class ResponseCache {
  readonly #entries: LRUCache<number, CachedResponse>

  constructor(maxBytes: number) {
    this.#entries = new LRUCache({ maxSize: maxBytes, sizeCalculation: ({ text }) => text.length })
  }

  get(number: number, kind: ResponseKind): CachedResponse | undefined {
    return this.#entries.get(keyOf(number, kind))
  }

  set(number: number, kind: ResponseKind, response: CachedResponse): void {
    this.#entries.set(keyOf(number, kind), response)
  }

  delete(number: number, kind: ResponseKind): void {
    this.#entries.delete(keyOf(number, kind))
  }
}

const keyOf = (number: number, kind: ResponseKind): number => number * 3 + kinds[kind]
