import type { PoolTransaction } from '../../pool/types.ts'

/** The reason why the chain rejects a transaction; undefined if an upstream accepted it, or if it is held here until one can. */
export type RejectionReason = string | undefined

interface Refusal {
  readonly reason: string
  readonly since: number
  readonly at: number
}

/** A transaction that is being sent to the chain. */
export class OutgoingTransaction {
  readonly tx: PoolTransaction
  /** The outcome that the submitter receives; never rejects. */
  readonly outcome: Promise<RejectionReason>
  /** The time when an upstream was last known to have it; undefined if none was. */
  acceptedAt: number | undefined
  /** Whether it was sent without a response, so that an upstream may have it. */
  isUncertain = false
  /** The transaction that it replaced in the pool, as long as the chain may keep that one instead. */
  replaced: OutgoingTransaction | undefined
  /** What the chain said of it last, if that was a refusal, and since when it says so. */
  refusal: Refusal | undefined
  /** The time before which it is not sent again. */
  notBefore = 0
  readonly since: number
  #settle: ((outcome: RejectionReason) => void) | undefined

  constructor(tx: PoolTransaction, since: number) {
    this.tx = tx
    this.since = since
    this.outcome = new Promise((resolve) => {
      this.#settle = resolve
    })
  }

  /** Whether an upstream has it, or may have it. */
  get wasSent(): boolean {
    return this.isUncertain || this.acceptedAt !== undefined
  }

  /** Whether the submitter has received the outcome. */
  get isAcknowledged(): boolean {
    return this.#settle === undefined
  }

  settle(outcome: RejectionReason): void {
    this.#settle?.(outcome)
    this.#settle = undefined
  }
}
