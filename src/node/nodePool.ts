import { refused } from '../chain/chainError.ts'
import type { Pool } from '../chain/port/pool.ts'
import type { PoolIntake } from '../pool/admission/intake.ts'
import { PoolView, type PoolViewDependencies } from '../served/poolView.ts'

export interface NodePoolDependencies extends PoolViewDependencies {
  readonly intake: PoolIntake
  /** Whether each transaction gets a block at once, so that its sender can wait for it. */
  readonly isOnDemand: boolean
}

/** The pool of a node that makes or follows blocks itself. */
export class NodePool extends PoolView implements Pool {
  readonly #dependencies: NodePoolDependencies

  constructor(dependencies: NodePoolDependencies) {
    super(dependencies)
    this.#dependencies = dependencies
  }

  async submit(raw: Uint8Array): Promise<Uint8Array> {
    const { pool, intake, inclusions, isOnDemand } = this.#dependencies
    const { transaction, refusal } = await intake.submit(raw, true)
    if (refusal !== undefined) throw refused(refusal.message)
    // One that waits for another nonce or for the fee to fall may wait for ever: its sender does not.
    const { baseFee, blobBaseFee } = pool.head
    const blobFeeCap =
      transaction.transaction.type === 3 ? transaction.transaction.maxFeePerBlobGas : undefined
    const pays = transaction.feeCap >= baseFee && (blobFeeCap === undefined || blobFeeCap >= blobBaseFee)
    if (isOnDemand && pays && pool.isPending(transaction)) await inclusions.wait(transaction.hash)
    return transaction.hash
  }

  nextNonce(sender: Uint8Array): bigint {
    return this.#dependencies.pool.nextNonce(sender)
  }
}
