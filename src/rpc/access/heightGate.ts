import type { Chain } from '../../chain/port/chain.ts'

/** A client that saw a height this far above is of another chain, or has made it up. */
const maxAhead = 256
const maxWaiting = 1_024

interface Waiter {
  readonly height: number
  readonly client: object | string
  readonly resolve: (isReached: boolean) => void
}

/**
 * Has requests wait until a height is served here that their client has seen at another replica, so that it never sees
 * the chain go back.
 */
export class HeightGate {
  readonly #chain: Pick<Chain, 'head' | 'events'>
  readonly #waitMs: number
  readonly #waiting = new Set<Waiter>()
  #endHead: (() => void) | undefined

  constructor(chain: Pick<Chain, 'head' | 'events'>, waitMs: number) {
    this.#chain = chain
    this.#waitMs = waitMs
  }

  /** Returns the height of answers that are made now. */
  current(): number {
    return this.#chain.head().number
  }

  /** Resolves with whether a height is reached in time. */
  waitFor(height: number, client: object | string): Promise<boolean> {
    const head = this.current()
    if (height <= head) return Promise.resolve(true)
    if (height > head + maxAhead || !this.#hasPlaceFor(client)) return Promise.resolve(false)
    return new Promise((resolve) => {
      const end = (isReached: boolean): void => {
        clearTimeout(timer)
        this.#waiting.delete(waiter)
        resolve(isReached)
      }
      const waiter: Waiter = { height, client, resolve: end }
      const timer = setTimeout(() => end(false), this.#waitMs)
      this.#waiting.add(waiter)
      this.#endHead ??= this.#chain.events.onHead(() => this.#onHead())
    })
  }

  close(): void {
    this.#endHead?.()
    for (const waiter of this.#waiting) waiter.resolve(false)
  }

  /** A client may have as many places as are free, so that whoever comes after it finds one. */
  #hasPlaceFor(client: object | string): boolean {
    let taken = 0
    for (const waiter of this.#waiting) if (waiter.client === client) taken++
    return taken < maxWaiting - this.#waiting.size
  }

  #onHead(): void {
    const head = this.current()
    for (const waiter of this.#waiting) if (waiter.height <= head) waiter.resolve(true)
  }
}
