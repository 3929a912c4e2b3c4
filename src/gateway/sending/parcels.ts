import type { TransactionPool } from '../../pool/pool.ts'
import type { PoolTransaction } from '../../pool/types.ts'
import { type Outcome, Parcel } from './parcel.ts'

interface ParcelDependencies {
  readonly pool: TransactionPool
  /** Hears once of each transaction that the chain's node holds, or that is held for it here. */
  readonly onAcknowledged: (tx: PoolTransaction) => void
  readonly now: () => number
}

/** What is on its way of each transaction of the pool that was executable since it came. */
export class Parcels {
  readonly #dependencies: ParcelDependencies
  readonly #parcels = new Map<string, Parcel>()
  /** Beyond the time that a parcel is here. */
  readonly #outcomes = new WeakMap<PoolTransaction, Promise<Outcome>>()
  /** Transactions that are put back, and when they were taken. */
  readonly #returning = new Map<string, number | undefined>()

  constructor(dependencies: ParcelDependencies) {
    this.#dependencies = dependencies
  }

  get(id: string): Parcel | undefined {
    return this.#parcels.get(id)
  }

  values(): Iterable<Parcel> {
    return this.#parcels.values()
  }

  outcomeOf(tx: PoolTransaction): Promise<Outcome> | undefined {
    return this.#outcomes.get(tx)
  }

  enter(tx: PoolTransaction): void {
    const parcel = this.#openFor(tx)
    if (this.#returning.has(tx.id)) {
      parcel.isUncertain = true
      parcel.takenAt = this.#returning.get(tx.id)
      this.#returning.delete(tx.id)
      parcel.settle(undefined)
    }
    // What came from the chain's own mempool needs no sending.
    if (!tx.isLocal) this.take(parcel, this.#dependencies.now())
  }

  leave(tx: PoolTransaction, isReplaced: boolean): void {
    const parcel = this.#parcels.get(tx.id)
    if (parcel === undefined) return
    this.#parcels.delete(tx.id)
    parcel.settle(undefined)
    if (!isReplaced) return
    const successor = this.#dependencies.pool
      .pendingOf(tx.sender)
      .find(({ transaction: { nonce } }) => nonce === tx.transaction.nonce)
    const held = parcel.wasSent ? parcel : parcel.replaced
    if (successor !== undefined && held !== undefined) this.#openFor(successor).replaced = held
  }

  /** It will enter again: the chain keeps it. */
  expect({ tx, takenAt }: Parcel): void {
    this.#returning.set(tx.id, takenAt)
  }

  take(parcel: Parcel, at: number): void {
    parcel.takenAt = at
    parcel.replaced = undefined
    this.#acknowledge(parcel)
  }

  /** Nobody waits for what may take long: it is kept here until it can be sent. */
  hold(transactions: readonly PoolTransaction[]): void {
    for (const { id } of transactions) {
      const parcel = this.#parcels.get(id)
      if (parcel !== undefined) this.#acknowledge(parcel)
    }
  }

  #acknowledge(parcel: Parcel): void {
    if (parcel.isAcknowledged) return
    parcel.settle(undefined)
    this.#dependencies.onAcknowledged(parcel.tx)
  }

  #openFor(tx: PoolTransaction): Parcel {
    const known = this.#parcels.get(tx.id)
    if (known?.tx === tx) return known
    const parcel = new Parcel(tx, this.#dependencies.now())
    this.#parcels.set(tx.id, parcel)
    this.#outcomes.set(tx, parcel.outcome)
    return parcel
  }
}
