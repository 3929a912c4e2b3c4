import type { TransactionLocation } from '../chain/port/location.ts'
import type { PoolTransaction, TransactionsBySender } from '../chain/port/pool.ts'
import type { InclusionWaiters } from '../pool/inclusionWaiters.ts'
import type { TransactionPool } from '../pool/pool.ts'

export interface PoolViewDependencies {
  readonly pool: TransactionPool
  readonly inclusions: InclusionWaiters
  readonly locate: (hash: Uint8Array) => TransactionLocation | undefined
}

/** The content of a transaction pool as the port shows it, for nodes and gateways. */
export class PoolView {
  readonly #pool: TransactionPool
  readonly #inclusions: InclusionWaiters
  readonly #locate: PoolViewDependencies['locate']

  constructor({ pool, inclusions, locate }: PoolViewDependencies) {
    this.#pool = pool
    this.#inclusions = inclusions
    this.#locate = locate
  }

  get(hash: Uint8Array): PoolTransaction | undefined {
    return this.#pool.get(hash)
  }

  content(): { readonly pending: TransactionsBySender; readonly queued: TransactionsBySender } {
    return this.#pool.content()
  }

  contentOf(sender: Uint8Array) {
    return { pending: this.#pool.pendingOf(sender), queued: this.#pool.queuedOf(sender) }
  }

  counts(): { readonly pending: number; readonly queued: number } {
    return this.#pool.counts
  }

  async waitFor(hash: Uint8Array, signal: AbortSignal): Promise<TransactionLocation | undefined> {
    const location = this.#locate(hash)
    if (location !== undefined) return location
    await this.#inclusions.wait(hash, signal)
    return this.#locate(hash)
  }
}
