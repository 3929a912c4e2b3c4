import type { PoolTransaction } from '../../../pool/types.ts'

/** The pause before the first retry; each further one is twice as long, up to the longest. */
const firstPauseMs = 500
const longestPauseMs = 10_000

/** Transactions that the engine did not take, each of which is handed back after a pause. */
export class RetryQueue {
  readonly #onDue: (transaction: PoolTransaction) => void
  readonly #timers = new Map<string, NodeJS.Timeout>()
  /** The next pause of each transaction that was here before and is not forgotten. */
  readonly #pauses = new Map<string, number>()

  constructor(onDue: (transaction: PoolTransaction) => void) {
    this.#onDue = onDue
  }

  /** The number of transactions that were not taken and are not forgotten, whether they are being tried or not. */
  get size(): number {
    return this.#pauses.size
  }

  /** Returns whether the transaction is waiting for its pause to end. */
  has(id: string): boolean {
    return this.#timers.has(id)
  }

  add(transaction: PoolTransaction): void {
    const { id } = transaction
    const pause = this.#pauses.get(id) ?? firstPauseMs
    this.#pauses.set(id, Math.min(longestPauseMs, pause * 2))
    clearTimeout(this.#timers.get(id))
    const timer = setTimeout(() => {
      this.#timers.delete(id)
      this.#onDue(transaction)
    }, pause)
    this.#timers.set(id, timer)
  }

  /** Forgets a transaction and returns whether it was here. */
  delete(id: string): boolean {
    clearTimeout(this.#timers.get(id))
    this.#timers.delete(id)
    return this.#pauses.delete(id)
  }

  close(): void {
    for (const timer of this.#timers.values()) clearTimeout(timer)
    this.#timers.clear()
    this.#pauses.clear()
  }
}
