import { toHex } from '../base/encoding/hex.ts'

/** The promises that wait until a transaction is in a block or dropped. */
export class InclusionWaiters {
  readonly #waiters = new Map<string, Waiter[]>()

  /** Resolves when `settle` is called for the hash, or the signal aborts; rejects when `fail` is called. */
  wait(hash: Uint8Array, signal?: AbortSignal): Promise<void> {
    const id = toHex(hash)
    return new Promise((resolve, reject) => {
      // The event of a signal that was aborted before does not come again.
      if (signal?.aborted === true) return resolve()
      const waiter: Waiter = { resolve, reject }
      const waiters = this.#waiters.get(id) ?? []
      waiters.push(waiter)
      this.#waiters.set(id, waiters)
      signal?.addEventListener(
        'abort',
        () => {
          resolve()
          // The wait may be over, and the list of the hash another one by now.
          if (this.#waiters.get(id) !== waiters) return
          waiters.splice(waiters.indexOf(waiter), 1)
          if (waiters.length === 0) this.#waiters.delete(id)
        },
        { once: true },
      )
    })
  }

  settle(hash: Uint8Array): void {
    const id = toHex(hash)
    const waiters = this.#waiters.get(id)
    this.#waiters.delete(id)
    for (const { resolve } of waiters ?? []) resolve()
  }

  /** Rejects every promise, because no block comes for now. */
  fail(error: Error): void {
    const all = [...this.#waiters.values()].flat()
    this.#waiters.clear()
    for (const { reject } of all) reject(error)
  }
}

interface Waiter {
  readonly resolve: () => void
  readonly reject: (error: Error) => void
}
