/** The heads after which an acknowledged transaction is sent to the engine again for the first time; each further time twice as many, up to the most. */
const firstPause = 16
const longestPause = 256
/** The transactions that are sent again at a head. */
const maxAtOnce = 32

interface Renewal {
  readonly dueAt: number
  readonly pause: number
}

/**
 * When acknowledged transactions that no block includes are sent to the engine again. The engine gives each transaction to
 * each peer once. A peer whose pool was full refused it, or has dropped it since, and gets it only if the node that
 * acknowledged it sends it anew.
 */
export class Renewals {
  readonly #renewals = new Map<string, Renewal>()
  #heads = 0
  #left = maxAtOnce

  onHead(): void {
    this.#heads++
    this.#left = maxAtOnce
  }

  /** Returns whether a transaction that the engine holds has to be sent again now. */
  take(id: string): boolean {
    const known = this.#renewals.get(id)
    const isDue = known !== undefined && known.dueAt <= this.#heads
    if (isDue && this.#left === 0) return false
    if (known !== undefined && !isDue) return false
    const pause = known === undefined ? firstPause : Math.min(longestPause, 2 * known.pause)
    this.#renewals.set(id, { dueAt: this.#heads + pause, pause })
    if (isDue) this.#left--
    return isDue
  }

  delete(id: string): void {
    this.#renewals.delete(id)
  }

  /** Called when an engine has started, which is sent everything. */
  clear(): void {
    this.#renewals.clear()
  }
}
