import type { TransactionPool } from '../../pool/pool.ts'
import type { PoolTransaction } from '../../pool/types.ts'
import { OutgoingTransaction, type RejectionReason } from './outgoingTransaction.ts'

interface OutgoingTransactionsDependencies {
  readonly pool: TransactionPool
  /** Hears once of each transaction that the chain's node holds, or that is held for it here. */
  readonly onAcknowledged: (tx: PoolTransaction) => void
  readonly now: () => number
}

/** What is on its way of each transaction of the pool that was executable since it came. */
export class OutgoingTransactions {
  readonly #dependencies: OutgoingTransactionsDependencies
  readonly #outgoing = new Map<string, OutgoingTransaction>()
  /** Beyond the time that a parcel is here. */
  readonly #outcomes = new WeakMap<PoolTransaction, Promise<RejectionReason>>()
  /** Transactions that are put back, and when they were taken. */
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

  outcomeOf(tx: PoolTransaction): Promise<RejectionReason> | undefined {
    return this.#outcomes.get(tx)
  }

  add(tx: PoolTransaction): void {
    const outgoing = this.#openFor(tx)
    if (this.#returning.has(tx.id)) {
      outgoing.isUncertain = true
      outgoing.acceptedAt = this.#returning.get(tx.id)
      this.#returning.delete(tx.id)
      outgoing.settle(undefined)
    }
    // What came from the chain's own mempool needs no sending.
    if (!tx.isLocal) this.markAccepted(outgoing, this.#dependencies.now())
  }

  remove(tx: PoolTransaction, isReplaced: boolean): void {
    const parcel = this.#outgoing.get(tx.id)
    if (parcel === undefined) return
    this.#outgoing.delete(tx.id)
    parcel.settle(undefined)
    if (!isReplaced) return
    const successor = this.#dependencies.pool
      .pendingOf(tx.sender)
      .find(({ transaction: { nonce } }) => nonce === tx.transaction.nonce)
    const held = parcel.wasSent ? parcel : parcel.replaced
    if (successor !== undefined && held !== undefined) this.#openFor(successor).replaced = held
  }

  /** It will enter again: the chain keeps it. */
  expectReturn({ tx, acceptedAt }: OutgoingTransaction): void {
    this.#returning.set(tx.id, acceptedAt)
  }

  markAccepted(parcel: OutgoingTransaction, at: number): void {
    parcel.acceptedAt = at
    parcel.replaced = undefined
    this.#acknowledge(parcel)
  }

  /** Nobody waits for what may take long: it is kept here until it can be sent. */
  hold(transactions: readonly PoolTransaction[]): void {
    for (const { id } of transactions) {
      const parcel = this.#outgoing.get(id)
      if (parcel !== undefined) this.#acknowledge(parcel)
    }
  }

  #acknowledge(parcel: OutgoingTransaction): void {
    if (parcel.isAcknowledged) return
    parcel.settle(undefined)
    this.#dependencies.onAcknowledged(parcel.tx)
  }

  #openFor(tx: PoolTransaction): OutgoingTransaction {
    const known = this.#outgoing.get(tx.id)
    if (known?.tx === tx) return known
    const parcel = new OutgoingTransaction(tx, this.#dependencies.now())
    this.#outgoing.set(tx.id, parcel)
    this.#outcomes.set(tx, parcel.outcome)
    return parcel
  }
}
