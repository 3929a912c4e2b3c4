/** A client that saw a height this far above is of another chain, or has made it up. */
const maxAhead = 256
const maxWaiting = 1_024

/** Whose height is reported. */
export interface HeightSource {
  current(): number
  /** Calls the listener when there may be a new height; returns what ends that. */
  onHead(listener: () => void): () => void
}

/** In milliseconds. */
export interface HeightWait {
  readonly minHeightWait: number
  readonly httpTimeout: number
}

interface Waiter {
  readonly height: number
  readonly client: object | string
  readonly resolve: (isReached: boolean) => void
}

/**
 * Has requests wait until a height is served here that their client has seen elsewhere, so that it never sees the chain
 * go back.
 */
export class HeightGate {
  readonly #source: HeightSource
  readonly #waitMs: number
  readonly #waiting = new Set<Waiter>()
  #endHead: (() => void) | undefined
  #isClosed = false

  constructor(source: HeightSource, { minHeightWait, httpTimeout }: HeightWait) {
    this.#source = source
    this.#waitMs = Math.min(minHeightWait, httpTimeout)
  }

  /** Returns the height of answers that are made now. */
  current(): number {
    return this.#source.current()
  }

  /** Resolves with whether a height is reached in time. */
  waitFor(height: number, client: object | string): Promise<boolean> {
    const head = this.current()
    if (height <= head) return Promise.resolve(true)
    if (this.#isClosed || height > head + maxAhead || !this.#hasPlaceFor(client))
      return Promise.resolve(false)
    return new Promise((resolve) => {
      const end = (isReached: boolean): void => {
        clearTimeout(timer)
        this.#waiting.delete(waiter)
        resolve(isReached)
      }
      const waiter: Waiter = { height, client, resolve: end }
      const timer = setTimeout(() => end(false), this.#waitMs)
      this.#waiting.add(waiter)
      this.#endHead ??= this.#source.onHead(() => this.#onHead())
    })
  }

  close(): void {
    this.#isClosed = true
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
