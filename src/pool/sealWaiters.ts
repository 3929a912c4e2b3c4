import { equalBytes } from '../base/encoding/bytes.ts'
import type { TransactionPool } from './pool.ts'
import type { PoolTransaction } from './types.ts'

export interface SealWaitersDependencies {
  readonly pool: Pick<TransactionPool, 'events'>
  /** Returns whether the next block is made at once and may hold the transaction. */
  readonly isNext: (transaction: PoolTransaction) => boolean
}

interface Waiter {
  readonly resolve: () => void
  readonly reject: (error: Error) => void
}

/**
 * The clients that wait for the block of their transaction while the next block may hold it. Whatever changes that (a head
 * with another base fee, an earlier transaction that leaves the pool) ends the wait: no client waits for a block that
 * may never come.
 */
export class SealWaiters {
  readonly #isNext: SealWaitersDependencies['isNext']
  readonly #waiters = new Map<PoolTransaction, Waiter[]>()
  #isCheckQueued = false
  #isClosed = false

  constructor({ pool, isNext }: SealWaitersDependencies) {
    this.#isNext = isNext
    pool.events.on('dropped', ({ transaction, reason }) => {
      this.#settle(transaction)
      // Later ones of its sender do not follow any more. A transaction in a block is followed by the event of its head.
      if (reason !== 'included') this.#queueCheck()
    })
    pool.events.on('parked', () => this.#queueCheck())
    pool.events.on('head', () => this.recheck())
  }

  /** Resolves when the transaction is in a block or out of the pool, or when the next block cannot hold it. */
  wait(transaction: PoolTransaction): Promise<void> {
    if (this.#isClosed || !this.#isNext(transaction)) return Promise.resolve()
    return new Promise((resolve, reject) => {
      const waiters = this.#waiters.get(transaction) ?? []
      waiters.push({ resolve, reject })
      this.#waiters.set(transaction, waiters)
    })
  }

  /** Ends the waits of those whose transaction the next block cannot hold any more. */
  recheck(): void {
    for (const transaction of [...this.#waiters.keys()])
      if (!this.#isNext(transaction)) this.#settle(transaction)
  }

  /** Ends every wait, and all later ones at once, because the process ends. */
  close(): void {
    this.#isClosed = true
    this.settleAll()
  }

  /** Ends every wait, because no block comes for now. */
  settleAll(): void {
    const all = [...this.#waiters.values()].flat()
    this.#waiters.clear()
    for (const { resolve } of all) resolve()
  }

  /** Rejects the promises of one transaction, because no block can hold it and it leaves the pool. */
  failOf(hash: Uint8Array, error: Error): void {
    for (const [transaction, waiters] of this.#waiters) {
      if (!equalBytes(transaction.hash, hash)) continue
      this.#waiters.delete(transaction)
      for (const { reject } of waiters) reject(error)
    }
  }

  #settle(transaction: PoolTransaction): void {
    const waiters = this.#waiters.get(transaction)
    if (waiters === undefined) return
    this.#waiters.delete(transaction)
    for (const { resolve } of waiters) resolve()
  }

  /** Checks once after an operation that drops many. */
  #queueCheck(): void {
    if (this.#isCheckQueued || this.#waiters.size === 0) return
    this.#isCheckQueued = true
    queueMicrotask(() => {
      this.#isCheckQueued = false
      this.recheck()
    })
  }
}
