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

/**
 * Caches large responses that are requested again and again, up to a number of bytes. The first time a response is only
 * remembered, and it is kept when it comes again while it would still be there: a client that reads one block after the
 * other would otherwise fill memory with what nobody wants again, and make it grow old, which costs several times what
 * reading a block does.
 */
export class ResponseCache {
  readonly #entries: LRUCache<number, CachedResponse>
  /** The lengths of responses that came once. */
  readonly #seen: LRUCache<number, number>

  constructor(maxBytes: number) {
    this.#entries = new LRUCache({ maxSize: maxBytes, sizeCalculation: ({ text }) => text.length })
    this.#seen = new LRUCache({ maxSize: maxBytes, sizeCalculation: (length) => length })
  }

  get(number: number, kind: ResponseKind): CachedResponse | undefined {
    return this.#entries.get(keyOf(number, kind))
  }

  /** Returns whether a response of so many bytes is to be kept; if not, it is the next time. */
  admits(number: number, kind: ResponseKind, length: number): boolean {
    if (length < minCachedLength) return false
    const key = keyOf(number, kind)
    if (this.#seen.delete(key)) return true
    this.#seen.set(key, length)
    return false
  }

  set(number: number, kind: ResponseKind, response: CachedResponse): void {
    this.#entries.set(keyOf(number, kind), response)
  }

  delete(number: number, kind: ResponseKind): void {
    this.#entries.delete(keyOf(number, kind))
  }
}

const keyOf = (number: number, kind: ResponseKind): number => number * 3 + kinds[kind]
