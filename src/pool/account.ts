import { toHex } from '../base/encoding/hex.ts'
import { positionOf } from './order/nonces.ts'
import { type BlockPrices, payableTip } from './order/prices.ts'
import type { PoolState, PoolTransaction } from './types.ts'

/**
 * The transactions of one sender: the pending ones, without a nonce gap from the head's nonce, and the queued
 * ones.
 */
export class PoolAccount {
  readonly address: Uint8Array
  readonly id: string
  /** The nonce at the head; balance and kind of code are those at the head too. */
  nonce = 0n
  balance = 0n
  codeKind: ReturnType<PoolState['codeKind']> = 'none'
  /** The transaction at index i has nonce + i. */
  readonly pending: PoolTransaction[] = []
  /** The queued transactions by nonce, ascending. */
  readonly queued: PoolTransaction[] = []
  pendingCost = 0n
  /** A number that changes whenever `pending` changes. */
  pendingVersion = 0
  #payable: (BlockPrices & { readonly version: number; readonly count: number }) | undefined

  constructor(address: Uint8Array, id = toHex(address)) {
    this.address = address
    this.id = id
  }

  loadState(state: PoolState): this {
    this.nonce = state.nonce(this.address)
    this.balance = state.balance(this.address)
    this.codeKind = state.codeKind(this.address)
    return this
  }

  get next(): bigint {
    return this.nonce + BigInt(this.pending.length)
  }

  get isEmpty(): boolean {
    return this.pending.length === 0 && this.queued.length === 0
  }

  /**
   * Returns how many of the pending transactions, from the first on, pay these prices. Those after the first that does
   * not have to wait for it, whatever they pay.
   */
  payableCount(prices: BlockPrices): number {
    const known = this.#payable
    if (known?.version === this.pendingVersion && arePricesEqual(known, prices)) return known.count
    const unpayable = this.pending.findIndex((tx) => payableTip(tx, prices) === undefined)
    const count = unpayable < 0 ? this.pending.length : unpayable
    const { baseFee, blobBaseFee, minTip } = prices
    this.#payable = { version: this.pendingVersion, baseFee, blobBaseFee, minTip, count }
    return count
  }

  pendingAt(nonce: bigint): PoolTransaction | undefined {
    return nonce < this.nonce ? undefined : this.pending[Number(nonce - this.nonce)]
  }

  queuedAt(nonce: bigint): PoolTransaction | undefined {
    const tx = this.queued[positionOf(this.queued, nonce)]
    return tx?.transaction.nonce === nonce ? tx : undefined
  }

  appendPending(tx: PoolTransaction): void {
    this.pending.push(tx)
    this.pendingCost += tx.cost
    this.pendingVersion++
  }

  /** Replaces the pending transaction of the same nonce by `tx`. */
  replacePending(tx: PoolTransaction, old: PoolTransaction): void {
    this.pending[Number(tx.transaction.nonce - this.nonce)] = tx
    this.pendingCost += tx.cost - old.cost
    this.pendingVersion++
  }

  /**
   * Removes `count` transactions from `index` on. Those after them keep their index only if `nonce` moves
   * too.
   */
  removePending(index: number, count: number): PoolTransaction[] {
    const taken = this.pending.splice(index, count)
    for (const { cost } of taken) this.pendingCost -= cost
    this.pendingVersion++
    return taken
  }

  addQueued(tx: PoolTransaction): void {
    this.queued.splice(positionOf(this.queued, tx.transaction.nonce), 0, tx)
  }

  removeQueued(tx: PoolTransaction): void {
    this.queued.splice(positionOf(this.queued, tx.transaction.nonce), 1)
  }
}

const arePricesEqual = (a: BlockPrices, b: BlockPrices): boolean =>
  a.baseFee === b.baseFee && a.blobBaseFee === b.blobBaseFee && a.minTip === b.minTip
