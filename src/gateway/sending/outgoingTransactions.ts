import type { TransactionPool } from '../../pool/pool.ts'
import type { PoolTransaction } from '../../pool/types.ts'
import { OutgoingTransaction, type RejectionReason } from './outgoingTransaction.ts'

interface OutgoingTransactionsDependencies {
  readonly pool: TransactionPool
  /** Called once for each transaction that an upstream accepted, or that is held here until it can be sent. */
  readonly onAcknowledged: (tx: PoolTransaction) => void
  readonly now: () => number
}

/** Tracks the sending of each transaction of the pool that has been executable. */
export class OutgoingTransactions {
  readonly #dependencies: OutgoingTransactionsDependencies
  readonly #outgoing = new Map<string, OutgoingTransaction>()
  /** The outcomes, which are kept longer than the outgoing transactions. */
  readonly #outcomes = new WeakMap<PoolTransaction, Promise<RejectionReason>>()
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
    // A transaction from the upstream's mempool does not have to be sent.
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

  /** Records that a transaction will enter the pool again, because the chain keeps it. */
  expectReturn({ tx, acceptedAt }: OutgoingTransaction): void {
    this.#returning.set(tx.id, acceptedAt)
  }

  markAccepted(parcel: OutgoingTransaction, at: number): void {
    parcel.acceptedAt = at
    parcel.replaced = undefined
    this.#acknowledge(parcel)
  }

  /** Acknowledges transactions that may wait for long. They are held here until they can be sent. */
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
