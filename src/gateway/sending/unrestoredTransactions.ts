import type { Fork } from '../../chain/config/forks.ts'
import type { PoolTransaction } from '../../chain/port/pool.ts'
import { decodeSigned } from './uncheckedTransactions.ts'

/** The acknowledged transactions of the journal whose senders' accounts no node has told since the start. */
export class UnrestoredTransactions {
  readonly #payloads: ReadonlyMap<string, Uint8Array>
  readonly #fork: () => Fork
  readonly #decoded = new Map<string, PoolTransaction | undefined>()

  /** The payloads by their hashes; they become fewer. */
  constructor(payloads: ReadonlyMap<string, Uint8Array>, fork: () => Fork) {
    this.#payloads = payloads
    this.#fork = fork
  }

  get size(): number {
    return this.#payloads.size
  }

  has(id: string): boolean {
    return this.#payloads.has(id)
  }

  get(id: string): PoolTransaction | undefined {
    const payload = this.#payloads.get(id)
    if (payload === undefined) return undefined
    if (!this.#decoded.has(id)) this.#decoded.set(id, decodeSigned(payload, this.#fork()))
    return this.#decoded.get(id)
  }

  /** Returns them in the order in which they came, at most the newest `most`. */
  values(most = this.size): readonly PoolTransaction[] {
    if (this.size === 0) {
      this.#decoded.clear()
      return []
    }
    return [...this.#payloads.keys()].slice(-most).flatMap((id) => this.get(id) ?? [])
  }
}
