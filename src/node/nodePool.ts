import { ChainError } from '../chain/chainError.ts'
import type { BySender, Pool, PoolTransaction, TransactionPlace } from '../chain/port.ts'
import type { InclusionWaits } from '../pool/inclusion.ts'
import type { PoolIntake } from '../pool/intake.ts'
import type { TransactionPool } from '../pool/pool.ts'

export interface NodePoolDependencies {
  readonly pool: TransactionPool
  readonly intake: PoolIntake
  readonly inclusions: InclusionWaits
  readonly locate: (hash: Uint8Array) => TransactionPlace | undefined
  /** Whether each transaction gets a block at once, so that its sender can wait for it. */
  readonly isOnDemand: boolean
}

/** The pool of a node that makes or follows blocks itself. */
export class NodePool implements Pool {
  readonly #dependencies: NodePoolDependencies

  constructor(dependencies: NodePoolDependencies) {
    this.#dependencies = dependencies
  }

  async submit(raw: Uint8Array): Promise<Uint8Array> {
    const { pool, intake, inclusions, isOnDemand } = this.#dependencies
    const { transaction, refusal } = await intake.submit(raw, true)
    if (refusal !== undefined) throw new ChainError('refused', refusal.message)
    // One that waits for another nonce or for the fee to fall may wait for ever: its sender does not.
    const { baseFee, blobBaseFee } = pool.head
    const blobFeeCap =
      transaction.transaction.type === 3 ? transaction.transaction.maxFeePerBlobGas : undefined
    const pays = transaction.feeCap >= baseFee && (blobFeeCap === undefined || blobFeeCap >= blobBaseFee)
    if (isOnDemand && pays && pool.isPending(transaction)) await inclusions.wait(transaction.hash)
    return transaction.hash
  }

  get(hash: Uint8Array): PoolTransaction | undefined {
    return this.#dependencies.pool.get(hash)
  }

  nextNonce(sender: Uint8Array): bigint {
    return this.#dependencies.pool.nextNonce(sender)
  }

  content(): { readonly pending: BySender; readonly queued: BySender } {
    return this.#dependencies.pool.content()
  }

  contentOf(sender: Uint8Array) {
    const { pool } = this.#dependencies
    return { pending: pool.pendingOf(sender), queued: pool.queuedOf(sender) }
  }

  counts(): { readonly pending: number; readonly queued: number } {
    return this.#dependencies.pool.counts
  }

  async waitFor(hash: Uint8Array, signal: AbortSignal): Promise<TransactionPlace | undefined> {
    const { inclusions, locate } = this.#dependencies
    const place = locate(hash)
    if (place !== undefined) return place
    await inclusions.wait(hash, signal)
    return locate(hash)
  }
}
