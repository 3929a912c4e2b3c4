import { LRUCache } from 'lru-cache'
import { networkOf } from './clientAddress.ts'

interface Bucket {
  tokens: number
  refilledAt: number
}

/** The number of addresses that are tracked. An address that was evicted starts with a full bucket again. */
const maxAddresses = 100_000

/** A token bucket for each client address, or network of IPv6. */
export class RateLimiter {
  #perSecond: number
  #burst: number
  /** Made with the first request that is charged: the cache takes its whole space at once. */
  #buckets: LRUCache<string, Bucket> | undefined

  /** With `perSecond` 0 there is no limit. */
  constructor(perSecond: number, burst: number) {
    this.#perSecond = perSecond
    this.#burst = burst
  }

  /** Sets other limits; addresses that were charged stay so. */
  configure(perSecond: number, burst: number): void {
    this.#perSecond = perSecond
    this.#burst = burst
  }

  /** Charges one request. Returns 0 if it may run, or else the seconds to wait. */
  take(address: string, now = performance.now()): number {
    if (this.#perSecond === 0) return 0
    const bucket = this.#bucket(address, now)
    if (bucket.tokens < 1) return Math.max(1, Math.ceil((1 - bucket.tokens) / this.#perSecond))
    bucket.tokens--
    return 0
  }

  /** Charges further calls of a request that was accepted (a batch); they delay the next request of the address. */
  charge(address: string, calls: number, now = performance.now()): void {
    if (this.#perSecond > 0 && calls > 0) this.#bucket(address, now).tokens -= calls
  }

  #bucket(address: string, now: number): Bucket {
    this.#buckets ??= new LRUCache({ max: maxAddresses })
    const network = networkOf(address)
    let bucket = this.#buckets.get(network)
    if (bucket === undefined) {
      bucket = { tokens: this.#burst, refilledAt: now }
      this.#buckets.set(network, bucket)
    }
    const refill = ((now - bucket.refilledAt) / 1000) * this.#perSecond
    bucket.tokens = Math.min(this.#burst, bucket.tokens + refill)
    bucket.refilledAt = now
    return bucket
  }
}
