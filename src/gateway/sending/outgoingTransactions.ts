import type { TransactionPool } from '../../pool/pool.ts'
import type { PoolTransaction } from '../../pool/types.ts'
import { OutgoingTransaction, type RejectionReason } from './outgoingTransaction.ts'

interface OutgoingTransactionsDependencies {
  readonly pool: TransactionPool
  /** Called once for each transaction that an upstream accepted, or that is held here until it can be sent. */
  readonly onAcknowledged: (tx: PoolTransaction) => void
  /** Returns whether a transaction was acknowledged by the process before this one. */
  readonly wasAcknowledged: (id: string) => boolean
  readonly now: () => number
}

/** Tracks the sending of each transaction of the pool that has been executable. */
export class OutgoingTransactions {
  readonly #dependencies: OutgoingTransactionsDependencies
  readonly #outgoing = new Map<string, OutgoingTransaction>()
  /** The outcomes, which are kept longer than the outgoing transactions. */
  readonly #outcomes = new WeakMap<PoolTransaction, Promise<RejectionReason>>()
  /** Those that were acknowledged before they could be sent. */
  readonly #acknowledged = new WeakSet<PoolTransaction>()
  /** Transactions that are about to be restored to the pool, with the time when they were accepted. */
  readonly #returning = new Map<string, number | undefined>()

  constructor(dependencies: OutgoingTransactionsDependencies) {
    this.#dependencies = dependencies
  }

  get(id: string): OutgoingTransaction | undefined {
    return this.#outgoing.get(id)
  }

  values(): Iterable<OutgoingTransaction> {
    return this.#outgoing.values()
  }

  /** Returns the outcome for the submitter. A transaction that must wait for others has none: this call acknowledges it. */
  outcomeOf(tx: PoolTransaction): Promise<RejectionReason> | undefined {
    const outcome = this.#outcomes.get(tx)
    if (outcome === undefined) this.#acknowledged.add(tx)
    return outcome
  }

  /** Records that a transaction was acknowledged, whether it can be sent now or later. */
  acknowledge(tx: PoolTransaction): void {
    this.#acknowledged.add(tx)
    this.hold([tx])
  }

  add(tx: PoolTransaction): void {
    const outgoing = this.#openFor(tx)
    if (this.#returning.has(tx.id)) {
      outgoing.isUncertain = true
      outgoing.acceptedAt = this.#returning.get(tx.id)
      this.#returning.delete(tx.id)
      outgoing.settle(undefined)
    }
    if (this.#dependencies.wasAcknowledged(tx.id)) {
      // The process before this one may have sent it.
      outgoing.isUncertain = true
      this.#acknowledge(outgoing)
    }
    if (this.#acknowledged.has(tx)) this.#acknowledge(outgoing)
    // A transaction from the upstream's mempool does not have to be sent.
    if (!tx.isLocal) this.markAccepted(outgoing, this.#dependencies.now())
  }

  remove(tx: PoolTransaction, isReplaced: boolean): void {
    const outgoing = this.#outgoing.get(tx.id)
    if (outgoing === undefined) return
    this.#outgoing.delete(tx.id)
    outgoing.settle(undefined)
    if (!isReplaced) return
    const successor = this.#dependencies.pool
      .pendingOf(tx.sender)
      .find(({ transaction: { nonce } }) => nonce === tx.transaction.nonce)
    const held = outgoing.wasSent ? outgoing : outgoing.replaced
    if (successor !== undefined && held !== undefined) this.#openFor(successor).replaced = held
  }

  /** Holds a transaction that the pool has no room for now, and takes it again later. */
  park(tx: PoolTransaction): void {
    const outgoing = this.#outgoing.get(tx.id)
    if (outgoing === undefined) return
    this.expectReturn(outgoing)
    this.remove(tx, false)
  }

  /** Records that a transaction will enter the pool again, because the chain keeps it. */
  expectReturn({ tx, acceptedAt }: OutgoingTransaction): void {
    this.#returning.set(tx.id, acceptedAt)
  }

  /** Records that it will not. */
  forgetReturn(id: string): void {
    this.#returning.delete(id)
  }

  markAccepted(outgoing: OutgoingTransaction, at: number): void {
    outgoing.acceptedAt = at
    outgoing.replaced = undefined
    this.#acknowledge(outgoing)
  }

  /** Acknowledges transactions that may wait for long. They are held here until they can be sent. */
  hold(transactions: readonly PoolTransaction[]): void {
    for (const { id } of transactions) {
      const outgoing = this.#outgoing.get(id)
      if (outgoing !== undefined) this.#acknowledge(outgoing)
    }
  }

  #acknowledge(outgoing: OutgoingTransaction): void {
    if (outgoing.isAcknowledged) return
    outgoing.settle(undefined)
    this.#dependencies.onAcknowledged(outgoing.tx)
  }

  #openFor(tx: PoolTransaction): OutgoingTransaction {
    const known = this.#outgoing.get(tx.id)
    if (known?.tx === tx) return known
    const outgoing = new OutgoingTransaction(tx, this.#dependencies.now())
    this.#outgoing.set(tx.id, outgoing)
    this.#outcomes.set(tx, outgoing.outcome)
    return outgoing
  }
}
