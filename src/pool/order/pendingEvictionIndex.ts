import type { PoolAccount } from '../account.ts'
import { effectiveTip } from '../admission/submission.ts'
import type { PoolTransaction } from '../types.ts'
import { Heap } from './heap.ts'

/**
 * Which pending transactions go first when the pool is full. Only the last of a sender's run can go without stranding
 * others, and it is worth what the cheapest before it is worth, since it cannot run earlier: a low first transaction
 * with high ones behind it pins nothing. Built when first needed after a head, as prices depend on the base fee.
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
  /** The lowest effective tip of its sender's run, itself included. */
  readonly price: bigint
  readonly isOverShare: boolean
}

export interface Eviction {
  readonly account: PoolAccount
  readonly transaction: PoolTransaction
}

/** What is over a share goes before what is within one; then the cheapest, and of those the latest. */
const goesBefore = (a: Tail, b: Tail): boolean => {
  if (a.isOverShare !== b.isOverShare) return a.isOverShare
  return a.price === b.price ? a.arrival > b.arrival : a.price < b.price
}

const lowest = (a: bigint, b: bigint): bigint => (a < b ? a : b)

export class PendingEvictionIndex {
  readonly #share: number
  readonly #baseFee: bigint
  /** The lowest effective tip up to each index of an account's run. */
  readonly #prices = new Map<PoolAccount, bigint[]>()
  #heap: Heap<Tail>

  constructor(accounts: Iterable<PoolAccount>, share: number, baseFee: bigint) {
    this.#share = share
    this.#baseFee = baseFee
    for (const account of accounts) if (account.pending.length > 0) this.#extend(account, 0)
    this.#heap = this.#build()
  }

  /** Follows a change of `account.pending` at `from` and after it. */
  update(account: PoolAccount, from: number): void {
    if (account.pending.length === 0) {
      this.#prices.delete(account)
      return
    }
    this.#extend(account, from)
    this.#heap.push(this.#tail(account, account.pending.length))
    if (this.#heap.size > 64 + 4 * this.#prices.size) this.#heap = this.#build()
  }

  /** The price of a transaction at the end of the account's run. */
  priceAfter(account: PoolAccount, tx: PoolTransaction): bigint {
    const txTip = effectiveTip(tx, this.#baseFee)
    const before = this.#prices.get(account)?.at(-1)
    return before === undefined ? txTip : lowest(before, txTip)
  }

  /** What has to go to free `slots`, or why nothing may. */
  selectEvictions(
    slots: number,
    newcomer: IncomingTransaction,
  ): readonly Eviction[] | 'underpriced' | 'poolFull' {
    const evictions: Eviction[] = []
    const planned = new Map<PoolAccount, number>()
    const taken: Tail[] = []
    for (let missing = slots; missing > 0; ) {
      const tail = this.#heap.peek()
      if (tail === undefined || (this.#isCurrent(tail, planned) && !mayEvict(tail, newcomer))) {
        for (const item of taken) this.#heap.push(item)
        return tail && (tail.isOverShare || !newcomer.isOverShare) ? 'underpriced' : 'poolFull'
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
      const own = effectiveTip(account.pending[index] as PoolTransaction, this.#baseFee)
      prices.push(index === 0 ? own : lowest(own, prices[index - 1] as bigint))
    }
    this.#prices.set(account, prices)
  }
}

/**
 * A sender within its share has a right to it over what others hold above theirs, if it pays the base fee; otherwise
 * only a higher price takes a place, and never one within another's share for one above one's own.
 */
const mayEvict = (tail: Tail, newcomer: IncomingTransaction): boolean => {
  if (newcomer.isOverShare) return tail.isOverShare && tail.price < newcomer.price
  return tail.price < newcomer.price || (tail.isOverShare && newcomer.price >= 0n)
}
