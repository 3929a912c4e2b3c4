import { toHex } from '../../base/encoding/hex.ts'
import { positionOf } from '../order/nonces.ts'
import type { PoolTransaction } from '../types.ts'

const none: readonly PoolTransaction[] = []

/**
 * Acknowledged transactions that are neither pending nor queued, because there is no room for them or their sender
 * cannot pay them now. They stay in the journal and are found by their hash; the pool takes them back when it can.
 */
export class ParkedTransactions {
  /** The transactions of each sender by nonce, ascending, one for each nonce. Who was asked least recently is first. */
  readonly #bySender = new Map<string, PoolTransaction[]>()
  /** The senders that are asked before all others. */
  readonly #hastened = new Set<string>()
  readonly #all = new Set<PoolTransaction>()
  bytes = 0

  get size(): number {
    return this.#all.size
  }

  has(tx: PoolTransaction): boolean {
    return this.#all.has(tx)
  }

  /** Returns the transactions of a sender by its address as DATA. */
  of(sender: string): readonly PoolTransaction[] {
    return this.#bySender.get(sender) ?? none
  }

  at(sender: string, nonce: bigint): PoolTransaction | undefined {
    const own = this.of(sender)
    const tx = own[positionOf(own, nonce)]
    return tx?.transaction.nonce === nonce ? tx : undefined
  }

  /** Has a sender be asked before the others in the next turn. */
  hasten(sender: string): void {
    if (this.#bySender.has(sender)) this.#hastened.add(sender)
  }

  /** Yields all senders once, who was asked least recently first. A yielded sender has had its turn. */
  *takeTurn(): Generator<string, void> {
    let left = this.#bySender.size
    for (const id of this.#hastened) {
      this.#hastened.delete(id)
      this.#moveBack(id)
      left--
      yield id
    }
    for (const id of this.#bySender.keys()) {
      if (left-- <= 0) return
      this.#moveBack(id)
      yield id
    }
  }

  #moveBack(id: string): void {
    const own = this.#bySender.get(id) ?? []
    this.#bySender.delete(id)
    this.#bySender.set(id, own)
  }

  add(tx: PoolTransaction): void {
    if (this.#all.has(tx)) return
    this.#all.add(tx)
    this.bytes += tx.size
    const id = toHex(tx.sender)
    const own = this.#bySender.get(id)
    if (own === undefined) this.#bySender.set(id, [tx])
    else own.splice(positionOf(own, tx.transaction.nonce), 0, tx)
  }

  /** Removes a transaction and returns whether it was here. */
  delete(tx: PoolTransaction): boolean {
    if (!this.#all.delete(tx)) return false
    this.bytes -= tx.size
    const id = toHex(tx.sender)
    const own = this.#bySender.get(id) ?? []
    own.splice(positionOf(own, tx.transaction.nonce), 1)
    if (own.length > 0) return true
    this.#bySender.delete(id)
    this.#hastened.delete(id)
    return true
  }
}
