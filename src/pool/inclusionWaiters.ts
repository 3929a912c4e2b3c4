import { toHex } from '../base/hex.ts'

/** Those who wait for a transaction to be in a block, or to be given up. */
export class InclusionWaiters {
  readonly #waits = new Map<string, (() => void)[]>()

  /** Resolves when `settle` is called for the hash, or the signal aborts. */
  wait(hash: Uint8Array, signal?: AbortSignal): Promise<void> {
    const id = toHex(hash)
    return new Promise((resolve) => {
      const waits = this.#waits.get(id) ?? []
      waits.push(resolve)
      this.#waits.set(id, waits)
      signal?.addEventListener(
        'abort',
        () => {
          waits.splice(waits.indexOf(resolve), 1)
          if (waits.length === 0) this.#waits.delete(id)
          resolve()
        },
        { once: true },
      )
    })
  }

  settle(hash: Uint8Array): void {
    const id = toHex(hash)
    const waits = this.#waits.get(id)
    this.#waits.delete(id)
    for (const resolve of waits ?? []) resolve()
  }
}
