import type { PoolTransaction } from '../../pool/types.ts'
import { SendTrail } from './sendTrail.ts'

/** The reason why the chain rejects a transaction; undefined if an upstream accepted it, or if it is held here until one can. */
export type RejectionReason = string | undefined

interface Refusal {
  readonly reason: string
  readonly at: number
  /** For how long rejections have followed one another; undefined if the chain could not be asked since the last one. */
  readonly lastedMs: number | undefined
}

/** A transaction that is being sent to the chain. */
export class OutgoingTransaction {
  readonly tx: PoolTransaction
  /** The outcome that the submitter receives; never rejects. */
  readonly outcome: Promise<RejectionReason>
  /** The time when an upstream last said that it has it; undefined if none did. */
  acceptedAt: number | undefined
  /** Whether it was sent without a response, so that an upstream may have it. */
  isUncertain = false
  /** How often a node answered without saying whether it took it. */
  unknownOutcomes = 0
  /** The transaction that it replaced in the pool, as long as the chain may keep that one instead. */
  replaced: OutgoingTransaction | undefined
  /** The last rejection by the chain, if nothing shows that it accepted the transaction since. */
  refusal: Refusal | undefined
  /** The time before which it is not sent again. */
  notBefore = 0
  readonly since: number
  readonly trail = new SendTrail()
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

  /** Whether it stays here if the chain rejects it: an upstream may have it, or its submitter knows that it was accepted. */
  get isHeld(): boolean {
    return this.isUncertain || this.isAcknowledged
  }

  /** Forgets that an upstream has it, though one may have it still. */
  doubtAcceptance(): void {
    this.isUncertain ||= this.acceptedAt !== undefined
    this.acceptedAt = undefined
  }

  /**
   * Records a rejection. Returns for how long rejections have followed one another: the time since the one before counts up
   * to a maximum, because in a longer silence nobody knows what the chain would have said.
   */
  refuse(reason: string, at: number, maxSilenceMs: number): number {
    const { lastedMs: before, at: last } = this.refusal ?? { lastedMs: undefined, at }
    const lastedMs = before === undefined ? 0 : before + Math.min(at - last, maxSilenceMs)
    this.refusal = { reason, at, lastedMs }
    this.trail.onRefused()
    return lastedMs
  }

  /** Records that the chain could not be asked: rejections from then on count again. */
  interruptRefusals(): void {
    if (this.refusal !== undefined) this.refusal = { ...this.refusal, lastedMs: undefined }
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
