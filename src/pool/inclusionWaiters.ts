import { toHex } from '../base/encoding/hex.ts'

/** The promises that wait until a transaction is in a block or dropped. */
export class InclusionWaiters {
  readonly #waiters = new Map<string, (() => void)[]>()

  /** Resolves when `settle` is called for the hash, or the signal aborts. */
  wait(hash: Uint8Array, signal?: AbortSignal): Promise<void> {
    const id = toHex(hash)
    return new Promise((resolve) => {
      const waiters = this.#waiters.get(id) ?? []
      waiters.push(resolve)
      this.#waiters.set(id, waiters)
      signal?.addEventListener(
        'abort',
        () => {
          waiters.splice(waiters.indexOf(resolve), 1)
          if (waiters.length === 0) this.#waiters.delete(id)
          resolve()
        },
        { once: true },
      )
    })
  }

  settle(hash: Uint8Array): void {
    const id = toHex(hash)
    const waiters = this.#waiters.get(id)
    this.#waiters.delete(id)
    for (const resolve of waiters ?? []) resolve()
  }
}
