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

  /** Returns the addresses of up to `count` senders, those that were returned least recently first. */
  takeTurn(count: number): readonly Uint8Array[] {
    const turn: (readonly [id: string, own: PoolTransaction[]])[] = []
    for (const entry of this.#bySender) {
      if (turn.length === count) break
      turn.push(entry)
    }
    return turn.flatMap(([id, own]) => {
      this.#bySender.delete(id)
      this.#bySender.set(id, own)
      return own[0]?.sender ?? []
    })
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
    if (own.length === 0) this.#bySender.delete(id)
    return true
  }
}
