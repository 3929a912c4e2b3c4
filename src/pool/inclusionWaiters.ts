import { toHex } from '../base/encoding/hex.ts'

/** The promises that wait until a transaction is in a block or dropped. */
export class InclusionWaiters {
  readonly #waiters = new Map<string, (() => void)[]>()
  #isClosed = false

  /** Resolves when the wait is settled, or the signal aborts. */
  wait(hash: Uint8Array, signal?: AbortSignal): Promise<void> {
    const id = toHex(hash)
    return new Promise((resolve) => {
      // The event of a signal that was aborted before does not come again.
      if (this.#isClosed || signal?.aborted === true) return resolve()
      const waiters = this.#waiters.get(id) ?? []
      waiters.push(resolve)
      this.#waiters.set(id, waiters)
      signal?.addEventListener(
        'abort',
        () => {
          resolve()
          // The wait may be over, and the list of the hash another one by now.
          if (this.#waiters.get(id) !== waiters) return
          waiters.splice(waiters.indexOf(resolve), 1)
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
    for (const resolve of waiters ?? []) resolve()
  }

  /** Settles every wait, and all later ones at once, because the process ends. */
  close(): void {
    this.#isClosed = true
    this.settleAll()
  }

  /** Settles every wait, because no block comes for now. */
  settleAll(): void {
    const all = [...this.#waiters.values()].flat()
    this.#waiters.clear()
    for (const resolve of all) resolve()
  }
}
