import type { PoolAccount } from '../account.ts'
import type { PoolTransaction } from '../types.ts'
import { Heap } from './heap.ts'
import { effectiveTip } from './prices.ts'

/**
 * The order in which pending transactions are evicted when the pool is full. Only the last transaction of a
 * sender can be evicted without making others queued. Its price is that of the cheapest before it, because it
 * cannot be executed earlier; so a cheap first transaction with expensive ones after it does not block the
 * pool. The index is built on first use after a new head, because prices depend on the base fee.
 */

interface Tail {
  readonly account: PoolAccount
  readonly stamp: number
  readonly length: number
  readonly price: bigint
  readonly isOverShare: boolean
  readonly arrival: number
}

export interface IncomingTransaction {
  /** The lowest effective tip of its sender's pending transactions, itself included. */
  readonly price: bigint
  readonly isOverShare: boolean
}

export interface Eviction {
  readonly account: PoolAccount
  readonly transaction: PoolTransaction
}

/** Orders the evictions: senders over their share first, then the cheapest, and of those the latest. */
const goesBefore = (a: Tail, b: Tail): boolean => {
  if (a.isOverShare !== b.isOverShare) return a.isOverShare
  return a.price === b.price ? a.arrival > b.arrival : a.price < b.price
}

const lowest = (a: bigint, b: bigint): bigint => (a < b ? a : b)

export class PendingEvictionIndex {
  readonly #share: number
  readonly #baseFee: bigint
  /** The lowest effective tip up to each index of an account's pending transactions. */
  readonly #prices = new Map<PoolAccount, bigint[]>()
  #heap: Heap<Tail>

  constructor(accounts: Iterable<PoolAccount>, share: number, baseFee: bigint) {
    this.#share = share
    this.#baseFee = baseFee
    for (const account of accounts) if (account.pending.length > 0) this.#extend(account, 0)
    this.#heap = this.#build()
  }

  /** Updates the index after a change of `account.pending` from index `from` on. */
  update(account: PoolAccount, from: number): void {
    if (account.pending.length === 0) {
      this.#prices.delete(account)
      return
    }
    this.#extend(account, from)
    this.#heap.push(this.#tail(account, account.pending.length))
    if (this.#heap.size > 64 + 4 * this.#prices.size) this.#heap = this.#build()
  }

  /** Returns the price of a transaction after the account's pending ones. */
  priceAfter(account: PoolAccount, tx: PoolTransaction): bigint {
    const txTip = effectiveTip(tx, this.#baseFee)
    const before = this.#prices.get(account)?.at(-1)
    return before === undefined ? txTip : lowest(before, txTip)
  }

  /** Returns the transactions to evict to free `slots`, or the reason why none may be evicted. */
  selectEvictions(
    slots: number,
    incoming: IncomingTransaction,
  ): readonly Eviction[] | 'underpriced' | 'poolFull' {
    const evictions: Eviction[] = []
    const planned = new Map<PoolAccount, number>()
    const taken: Tail[] = []
    for (let missing = slots; missing > 0; ) {
      const tail = this.#heap.peek()
      if (tail === undefined || (this.#isCurrent(tail, planned) && !mayEvict(tail, incoming))) {
        for (const item of taken) this.#heap.push(item)
        return tail && (tail.isOverShare || !incoming.isOverShare) ? 'underpriced' : 'poolFull'
      }
      this.#heap.pop()
      if (!this.#isCurrent(tail, planned)) continue
      const { account, length } = tail
      if (!planned.has(account)) taken.push(tail)
      planned.set(account, (planned.get(account) ?? 0) + 1)
      const transaction = account.pending[length - 1] as PoolTransaction
      evictions.push({ account, transaction })
      missing -= transaction.slots
      if (length > 1) this.#heap.push(this.#tail(account, length - 1))
    }
    return evictions
  }

  #isCurrent(tail: Tail, planned: ReadonlyMap<PoolAccount, number>): boolean {
    const { account, stamp, length } = tail
    return stamp === account.pendingVersion && length === account.pending.length - (planned.get(account) ?? 0)
  }

  #build(): Heap<Tail> {
    const tails = [...this.#prices.keys()].map((account) => this.#tail(account, account.pending.length))
    return new Heap(goesBefore, tails)
  }

  #tail(account: PoolAccount, length: number): Tail {
    const { arrival } = account.pending[length - 1] as PoolTransaction
    const price = this.#prices.get(account)?.[length - 1] as bigint // extended to the whole run by update
    return {
      account,
      stamp: account.pendingVersion,
      length,
      price,
      isOverShare: length > this.#share,
      arrival,
    }
  }

  #extend(account: PoolAccount, from: number): void {
    const prices = this.#prices.get(account) ?? []
    prices.length = Math.min(prices.length, from)
    for (let index = prices.length; index < account.pending.length; index++) {
      const tip = effectiveTip(account.pending[index] as PoolTransaction, this.#baseFee)
      prices.push(index === 0 ? tip : lowest(tip, prices[index - 1] as bigint))
    }
    this.#prices.set(account, prices)
  }
}

/**
 * Checks whether the incoming transaction may evict the last one of a sender. A sender within its share may
 * evict what others hold above theirs if it pays the base fee; otherwise only a higher price evicts, and a
 * sender above its share never evicts one within another's share.
 */
const mayEvict = (tail: Tail, incoming: IncomingTransaction): boolean => {
  if (incoming.isOverShare) return tail.isOverShare && tail.price < incoming.price
  return tail.price < incoming.price || (tail.isOverShare && incoming.price >= 0n)
}
