import type { MaybePromise } from '../base/async/maybePromise.ts'
import { refused } from '../chain/chainError.ts'
import type { Pool } from '../chain/port/pool.ts'
import type { TransactionSubmitter } from '../pool/admission/transactionSubmitter.ts'
import { SealWaiters } from '../pool/sealWaiters.ts'
import type { PoolTransaction } from '../pool/types.ts'
import { PoolView, type PoolViewDependencies } from '../served/poolView.ts'
import { readForked } from './fork/forkedStateView.ts'
import type { WriteGate } from './writeGate.ts'

export interface NodePoolDependencies extends PoolViewDependencies {
  readonly intake: TransactionSubmitter
  /** Returns whether the next block is made at once and may hold the transaction, so that a client can wait for it. */
  readonly isNext: (transaction: PoolTransaction) => boolean
  /** Says whether transactions are taken at all. */
  readonly writes: Pick<WriteGate, 'assertOpen' | 'isOpen' | 'on'>
}

/** The pool of a node that produces or executes blocks itself. */
export class NodePool extends PoolView implements Pool {
  readonly #dependencies: NodePoolDependencies
  readonly #waiters: SealWaiters

  constructor(dependencies: NodePoolDependencies) {
    super(dependencies)
    const { pool, isNext, writes } = dependencies
    this.#dependencies = dependencies
    this.#waiters = new SealWaiters({ pool, isNext })
    writes.on(
      () => this.releaseWaits(),
      () => {},
    )
  }

  get order(): 'fees' | 'fifo' {
    return this.#dependencies.pool.order
  }

  async submit(raw: Uint8Array, { isImpersonated = false } = {}): Promise<Uint8Array> {
    const { intake, writes } = this.#dependencies
    writes.assertOpen()
    const { transaction, rejection } = await intake.submit(raw, true, isImpersonated)
    if (rejection !== undefined) throw refused(rejection.message)
    return transaction.hash
  }

  async waitForSeal(hash: Uint8Array): Promise<void> {
    const { pool, writes } = this.#dependencies
    const transaction = pool.get(hash)
    // Writing may have ended while the sender was recovered.
    if (transaction === undefined || !writes.isOpen) return
    await this.#waiters.wait(transaction)
  }

  /** Looks again at who waits for the next block, after a change without a new head. */
  recheckWaits(): void {
    this.#waiters.recheck()
  }

  /** Ends all waits, because no block comes for now. The transactions stay in the pool. */
  releaseWaits(): void {
    this.#waiters.settleAll()
  }

  /** Ends the waits for a block of those that wait, and of all later ones, because the process ends. */
  closeWaits(): void {
    this.#waiters.close()
  }

  /** Rejects a transaction with which no block can be made to those who wait for it. */
  refuseWaits(hash: Uint8Array, error: Error): void {
    this.#waiters.failOf(hash, error)
  }

  nextNonce(sender: Uint8Array): MaybePromise<bigint> {
    return readForked(() => this.#dependencies.pool.nextNonce(sender))
  }

  clear(): void {
    this.#dependencies.pool.takeOutAll()
  }
}
