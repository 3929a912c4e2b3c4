import { LRUCache } from 'lru-cache'

interface Bucket {
  tokens: number
  refilledAt: number
}

/** Addresses that are remembered: an address that falls out starts with a full bucket, which costs one burst. */
const maxAddresses = 100_000

/** A token bucket for each client address. */
export class RateLimiter {
  readonly #perSecond: number
  readonly #burst: number
  readonly #buckets = new LRUCache<string, Bucket>({ max: maxAddresses })

  /** `perSecond` 0 lets everything through. */
  constructor(perSecond: number, burst: number) {
    this.#perSecond = perSecond
    this.#burst = burst
  }

  /** Takes one request; 0 when it may go on, else the seconds to wait. */
  take(address: string, now = performance.now()): number {
    if (this.#perSecond === 0) return 0
    const bucket = this.#bucket(address, now)
    if (bucket.tokens < 1) return Math.max(1, Math.ceil((1 - bucket.tokens) / this.#perSecond))
    bucket.tokens--
    return 0
  }

  /** Books further calls of a request that was let in (a batch); the address pays for them before its next one. */
  charge(address: string, calls: number): void {
    if (this.#perSecond > 0 && calls > 0) this.#bucket(address, performance.now()).tokens -= calls
  }

  #bucket(address: string, now: number): Bucket {
    let bucket = this.#buckets.get(address)
    if (bucket === undefined) {
      bucket = { tokens: this.#burst, refilledAt: now }
      this.#buckets.set(address, bucket)
    }
    const refill = ((now - bucket.refilledAt) / 1000) * this.#perSecond
    bucket.tokens = Math.min(this.#burst, bucket.tokens + refill)
    bucket.refilledAt = now
    return bucket
  }
}
