import type { Account } from '../account.ts'
import type { Book } from '../book.ts'
import type { PoolSettings, PoolTransaction } from '../types.ts'
import { type Refusal, refuse } from './refusals.ts'

/** Finds valid transactions their place: pending or queued, beside or instead of others, within the caps. */
export class Placement {
  readonly #book: Book
  readonly #settings: PoolSettings
  /** Accounts whose next transaction waits only for room among the pending. */
  readonly #blocked = new Set<Account>()
  baseFee = 0n

  constructor(book: Book, settings: PoolSettings) {
    this.#book = book
    this.#settings = settings
  }

  place(account: Account, tx: PoolTransaction): Refusal | undefined {
    const { nonce } = tx.transaction
    const refusal = this.#replace(account, tx, nonce)
    if (refusal === undefined) this.promote(account)
    return refusal
  }

  #replace(account: Account, tx: PoolTransaction, nonce: bigint): Refusal | undefined {
    const pending = account.pendingAt(nonce)
    const old = pending ?? account.queuedAt(nonce)
    if (old === undefined)
      return nonce === account.next ? this.#append(account, tx) : this.#queue(account, tx)
    if (!outbids(tx, old, this.#settings)) return refuse('replacementUnderpriced')
    const more = tx.slots - old.slots
    const [used, limit] = pending
      ? [this.#book.pendingSlots, this.#settings.globalSlots]
      : [this.#book.queuedSlots, this.#settings.globalQueue]
    if (more > 0 && used + more > limit) return refuse('poolFull')
    this.#book.enter(tx, account)
    if (pending) this.#book.swapPending(account, tx, old)
    else {
      this.#book.takeQueued(account, old)
      this.#book.putQueued(account, tx)
    }
    this.#book.forget(old, 'replaced')
    return undefined
  }

  #append(account: Account, tx: PoolTransaction): Refusal | undefined {
    const refusal = this.#makeRoom(account, tx)
    if (refusal !== undefined) return refusal
    this.#book.enter(tx, account)
    this.#book.appendPending(account, tx)
    return undefined
  }

  /** Frees room among the pending for the account's next one, at the cost of cheaper ones at the end of their runs. */
  #makeRoom(account: Account, tx: PoolTransaction): Refusal | undefined {
    const missing = this.#book.pendingSlots + tx.slots - this.#settings.globalSlots
    if (missing <= 0) return undefined
    const tails = this.#book.tails(this.baseFee)
    const price = tails.priceAfter(account, tx)
    const plan = tails.plan(missing, {
      price,
      isOverShare: account.pending.length >= this.#settings.accountSlots,
    })
    if (typeof plan === 'string') return refuse(plan)
    for (const { account: other, transaction } of plan) {
      this.#book.takePending(other, other.pending.length - 1)
      this.#book.forget(transaction, 'evicted')
      this.#book.release(other)
    }
    return undefined
  }

  /** Only other queued transactions make room for one that cannot run yet. */
  #queue(account: Account, tx: PoolTransaction): Refusal | undefined {
    const { accountQueue, globalQueue } = this.#settings
    const isOverCap = account.queued.length >= accountQueue
    const last = isOverCap ? account.queued.at(-1) : undefined
    if (isOverCap && (last === undefined || last.transaction.nonce < tx.transaction.nonce))
      return refuse('accountLimit', account.queued.length)
    const missing = this.#book.queuedSlots - (last?.slots ?? 0) + tx.slots - globalQueue
    if (missing > 0) {
      const evictions = this.#book.queue(this.baseFee).plan(missing, tx, last)
      if (evictions === undefined) return refuse('underpriced')
      for (const other of evictions) this.dropQueued(this.#accountOf(other), other, 'evicted')
    }
    if (last) this.dropQueued(account, last, 'evicted')
    this.#book.enter(tx, account)
    this.#book.putQueued(account, tx)
    return undefined
  }

  /** Moves what continues the account's run, and what its sender can pay, to the pending. */
  promote(account: Account): void {
    for (;;) {
      const tx = account.queued[0]
      if (tx === undefined || tx.transaction.nonce !== account.next) return
      if (account.pendingCost + tx.cost > account.balance) return
      if (this.#makeRoom(account, tx) !== undefined) {
        this.#blocked.add(account)
        return
      }
      this.#book.takeQueued(account, tx)
      this.#book.appendPending(account, tx)
    }
  }

  promoteBlocked(): void {
    const accounts = [...this.#blocked]
    this.#blocked.clear()
    for (const account of accounts) this.promote(account)
  }

  /** Queues what was pending; the caps hold, at the cost of the last of the account and of the cheapest of all. */
  demote(account: Account, transactions: readonly PoolTransaction[]): void {
    const { accountQueue, globalQueue } = this.#settings
    for (const tx of transactions) this.#book.putQueued(account, tx)
    while (account.queued.length > accountQueue)
      this.dropQueued(account, account.queued.at(-1) as PoolTransaction, 'evicted')
    while (this.#book.queuedSlots > globalQueue) {
      const cheapest = this.#book.queue(this.baseFee).takeCheapest() as PoolTransaction // some are queued: slots > 0
      this.dropQueued(this.#accountOf(cheapest), cheapest, 'evicted')
    }
  }

  dropQueued(account: Account, tx: PoolTransaction, reason: Parameters<Book['forget']>[1]): void {
    this.#book.takeQueued(account, tx)
    this.#book.forget(tx, reason)
    this.#book.release(account)
  }

  #accountOf(tx: PoolTransaction): Account {
    return this.#book.accountAt(tx.sender) as Account // every transaction of the book has its account there
  }
}

/** Both fees must rise by the bump, and by something; for blobs the third one too. */
const outbids = (tx: PoolTransaction, old: PoolTransaction, settings: PoolSettings): boolean => {
  const blobs = [tx, old].map(({ transaction }) =>
    transaction.type === 3 ? transaction.maxFeePerBlobGas : 0n,
  )
  const isBlob = tx.transaction.type === 3 || old.transaction.type === 3
  const bump = isBlob ? settings.blobPriceBump : settings.priceBump
  const rises = (fee: bigint, before: bigint): boolean =>
    fee > before && fee >= (before * (100n + bump)) / 100n
  return (
    rises(tx.feeCap, old.feeCap) &&
    rises(tx.tipCap, old.tipCap) &&
    (tx.transaction.type !== old.transaction.type || !isBlob || rises(blobs[0] as bigint, blobs[1] as bigint))
  )
}
