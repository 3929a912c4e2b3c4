import type { PoolTransaction } from '../../chain/port/pool.ts'

/** The acknowledged transactions of the journal whose senders' accounts no node has told since the start. */
export class UnrestoredTransactions {
  readonly #payloads: ReadonlyMap<string, Uint8Array>
  readonly #decode: (payload: Uint8Array) => PoolTransaction | undefined
  readonly #decoded = new Map<string, PoolTransaction | undefined>()

  /** The payloads by their hashes; they become fewer. */
  constructor(
    payloads: ReadonlyMap<string, Uint8Array>,
    decode: (payload: Uint8Array) => PoolTransaction | undefined,
  ) {
    this.#payloads = payloads
    this.#decode = decode
  }

  get size(): number {
    return this.#payloads.size
  }

  get(id: string): PoolTransaction | undefined {
    const payload = this.#payloads.get(id)
    if (payload === undefined) return undefined
    if (!this.#decoded.has(id)) this.#decoded.set(id, this.#decode(payload))
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
