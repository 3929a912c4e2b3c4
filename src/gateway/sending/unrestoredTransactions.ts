import type { PoolTransaction } from '../../chain/port/pool.ts'

/** The acknowledged transactions of the journal that are not back in the pool, because no node has returned their accounts yet. */
export class UnrestoredTransactions {
  readonly #payloads: ReadonlyMap<string, Uint8Array>
  readonly #decode: (payload: Uint8Array) => PoolTransaction | undefined
  readonly #decoded = new Map<string, PoolTransaction | undefined>()

  /** Takes the payloads by their hashes. Each leaves the map when it is restored. */
  constructor(
    payloads: ReadonlyMap<string, Uint8Array>,
    decode: (payload: Uint8Array) => PoolTransaction | undefined,
  ) {
    this.#payloads = payloads
    this.#decode = decode
  }

  get size(): number {
    const { size } = this.#payloads
    // What was decoded is not needed once all are restored.
    if (size === 0) this.#decoded.clear()
    return size
  }

  get(id: string): PoolTransaction | undefined {
    const payload = this.#payloads.get(id)
    if (payload === undefined) return undefined
    if (!this.#decoded.has(id)) this.#decoded.set(id, this.#decode(payload))
    return this.#decoded.get(id)
  }

  /** Returns the newest, at most so many, in the order in which they came. */
  values(most: number): readonly PoolTransaction[] {
    return [...this.#payloads.keys()].slice(-most).flatMap((id) => this.get(id) ?? [])
  }
}
