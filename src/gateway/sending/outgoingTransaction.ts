import type { PoolTransaction } from '../../pool/types.ts'

/** Undefined: taken by the chain's node, or held here until it can be. Otherwise why the chain refuses it. */
export type RejectionReason = string | undefined

/** A transaction on its way to the chain. */
export class OutgoingTransaction {
  readonly tx: PoolTransaction
  /** What its sender is told; never rejects. */
  readonly outcome: Promise<RejectionReason>
  /** When the chain's node was last known to hold it. */
  acceptedAt: number | undefined
  /** It was sent without an answer: the node may hold it. */
  isUncertain = false
  /** What the pool let go for it, as long as the chain may keep that instead. */
  replaced: OutgoingTransaction | undefined
  readonly since: number
  #settle: ((outcome: RejectionReason) => void) | undefined

  constructor(tx: PoolTransaction, since: number) {
    this.tx = tx
    this.since = since
    this.outcome = new Promise((resolve) => {
      this.#settle = resolve
    })
  }

  /** The node holds it, or may. */
  get wasSent(): boolean {
    return this.isUncertain || this.acceptedAt !== undefined
  }

  /** Its sender has been told that it is on its way. */
  get isAcknowledged(): boolean {
    return this.#settle === undefined
  }

  settle(outcome: RejectionReason): void {
    this.#settle?.(outcome)
    this.#settle = undefined
  }
}
