import { refused } from '../chain/chainError.ts'
import type { Pool } from '../chain/port/pool.ts'
import type { TransactionSubmitter } from '../pool/admission/transactionSubmitter.ts'
import { PoolView, type PoolViewDependencies } from '../served/poolView.ts'
import type { WriteGate } from './writeGate.ts'

export interface NodePoolDependencies extends PoolViewDependencies {
  readonly intake: TransactionSubmitter
  /** Whether each transaction gets a block at once, so that a client can wait for it. */
  readonly isInstantSeal: boolean
  /** Says whether transactions are taken at all. */
  readonly writes: Pick<WriteGate, 'assertOpen'>
}

/** The pool of a node that produces or executes blocks itself. */
export class NodePool extends PoolView implements Pool {
  readonly #dependencies: NodePoolDependencies

  constructor(dependencies: NodePoolDependencies) {
    super(dependencies)
    this.#dependencies = dependencies
  }

  async submit(raw: Uint8Array): Promise<Uint8Array> {
    const { pool, intake, inclusions, isInstantSeal: isOnDemand, writes } = this.#dependencies
    writes.assertOpen()
    const { transaction, rejection } = await intake.submit(raw, true)
    if (rejection !== undefined) throw refused(rejection.message)
    // A transaction with a nonce gap or too low a fee may wait for ever, so its client does not wait for the block.
    const { baseFee, blobBaseFee } = pool.head
    const blobFeeCap =
      transaction.transaction.type === 3 ? transaction.transaction.maxFeePerBlobGas : undefined
    const pays = transaction.feeCap >= baseFee && (blobFeeCap === undefined || blobFeeCap >= blobBaseFee)
    if (isOnDemand && pays && pool.isPending(transaction)) {
      // Those who wait are told when writing ends; it may have ended while the sender was recovered.
      writes.assertOpen()
      await inclusions.wait(transaction.hash)
    }
    return transaction.hash
  }

  nextNonce(sender: Uint8Array): bigint {
    return this.#dependencies.pool.nextNonce(sender)
  }

  clear(): void {
    this.#dependencies.pool.clear()
  }
}
