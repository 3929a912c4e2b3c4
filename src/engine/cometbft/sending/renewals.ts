import { HeadPauses } from '../headPauses.ts'

/** The heads after which an acknowledged transaction is sent to the engine again for the first time; each further time twice as many, up to the most. */
const firstPause = 16
const longestPause = 256
/** The transactions that are sent again at a head. */
const maxAtOnce = 32

/**
 * When acknowledged transactions that no block includes are sent to the engine again. The engine gives each transaction to
 * each peer once. A peer whose pool was full rejected it, or has dropped it since, and gets it only if the node that
 * acknowledged it sends it again.
 */
export class Renewals {
  readonly #pauses = new HeadPauses(firstPause, longestPause)
  #left = maxAtOnce

  onHead(): void {
    this.#pauses.onHead()
    this.#left = maxAtOnce
  }

  /** Returns whether a transaction that the engine holds must be sent again now. */
  take(id: string): boolean {
    const isKnown = this.#pauses.has(id)
    if (isKnown && (this.#left === 0 || !this.#pauses.isDue(id))) return false
    this.#pauses.begin(id)
    if (isKnown) this.#left--
    return isKnown
  }

  delete(id: string): void {
    this.#pauses.delete(id)
  }

  /** Called when an engine has started, which is sent everything. */
  clear(): void {
    this.#pauses.clear()
  }
}
