import type { PoolAccount } from '../account.ts'
import type { PoolContents } from '../poolContents.ts'
import type { PoolSettings, PoolTransaction } from '../types.ts'
import { type Rejection, reject } from './rejections.ts'

/** Adds valid transactions to the pending or queued ones, replaces and evicts others, and keeps the caps. */
export class QueueManager {
  readonly #contents: PoolContents
  readonly #settings: PoolSettings
  /** The accounts whose next transaction is not pending only because the pool is full. */
  readonly #blocked = new Set<PoolAccount>()
  baseFee = 0n

  constructor(contents: PoolContents, settings: PoolSettings) {
    this.#contents = contents
    this.#settings = settings
  }

  /** Checks what the other transactions of the sender decide: the price of a replacement, and its share of the queue. */
  checkPlace(account: PoolAccount, tx: PoolTransaction): Rejection | undefined {
    const { nonce } = tx.transaction
    const old = account.pendingAt(nonce) ?? account.queuedAt(nonce)
    if (old !== undefined)
      return isReplacementPriced(tx, old, this.#settings) ? undefined : reject('replacementUnderpriced')
    if (nonce === account.next || !this.#isQueueFull(account)) return undefined
    const last = account.queued.at(-1)
    return last === undefined || last.transaction.nonce < nonce
      ? reject('accountLimit', account.queued.length)
      : undefined
  }

  #isQueueFull(account: PoolAccount): boolean {
    return account.queued.length >= this.#settings.accountQueue
  }

  addTransaction(account: PoolAccount, tx: PoolTransaction): Rejection | undefined {
    const { nonce } = tx.transaction
    const rejection = this.checkPlace(account, tx) ?? this.#replace(account, tx, nonce)
    if (rejection === undefined) this.promote(account)
    return rejection
  }

  #replace(account: PoolAccount, tx: PoolTransaction, nonce: bigint): Rejection | undefined {
    const pending = account.pendingAt(nonce)
    const old = pending ?? account.queuedAt(nonce)
    if (old === undefined)
      return nonce === account.next ? this.#append(account, tx) : this.#queue(account, tx)
    const more = tx.slots - old.slots
    const [used, limit] = pending
      ? [this.#contents.pendingSlots, this.#settings.globalSlots]
      : [this.#contents.queuedSlots, this.#settings.globalQueue]
    if (more > 0 && used + more > limit) return reject('poolFull')
    this.#contents.insert(tx, account)
    if (pending) this.#contents.replacePending(account, tx, old)
    else {
      this.#contents.removeQueued(account, old)
      this.#contents.addQueued(account, tx)
    }
    this.#contents.drop(old, 'replaced')
    return undefined
  }

  #append(account: PoolAccount, tx: PoolTransaction): Rejection | undefined {
    const rejection = this.#makeRoom(account, tx)
    if (rejection !== undefined) return rejection
    this.#contents.insert(tx, account)
    this.#contents.appendPending(account, tx)
    return undefined
  }

  /**
   * Evicts cheaper pending transactions, each the last of its sender, to make room for the account's next
   * one.
   */
  #makeRoom(account: PoolAccount, tx: PoolTransaction): Rejection | undefined {
    const missing = this.#contents.pendingSlots + tx.slots - this.#settings.globalSlots
    if (missing <= 0) return undefined
    const evictions = this.#contents.pendingEvictions(this.baseFee)
    const price = evictions.priceAfter(account, tx)
    const plan = evictions.selectEvictions(missing, {
      price,
      isOverShare: account.pending.length >= this.#settings.accountSlots,
    })
    if (typeof plan === 'string') return reject(plan)
    for (const { account: other, transaction } of plan) {
      this.#contents.removePending(other, other.pending.length - 1)
      this.#contents.drop(transaction, 'evicted')
      this.#contents.removeIfEmpty(other)
    }
    return undefined
  }

  /** Queues a transaction that cannot be executed yet; only other queued transactions are evicted for it. */
  #queue(account: PoolAccount, tx: PoolTransaction): Rejection | undefined {
    const last = this.#isQueueFull(account) ? account.queued.at(-1) : undefined
    const missing = this.#contents.queuedSlots - (last?.slots ?? 0) + tx.slots - this.#settings.globalQueue
    if (missing > 0) {
      const evictions = this.#contents.queueEvictions(this.baseFee).selectEvictions(missing, tx, last)
      if (evictions === undefined) return reject('underpriced')
      for (const other of evictions) this.dropQueued(this.#accountOf(other), other, 'evicted')
    }
    if (last) this.dropQueued(account, last, 'evicted')
    this.#contents.insert(tx, account)
    this.#contents.addQueued(account, tx)
    return undefined
  }

  /** Promotes the transactions that continue the account's pending ones and that its sender can pay. */
  promote(account: PoolAccount): void {
    for (;;) {
      const tx = account.queued[0]
      if (tx === undefined || tx.transaction.nonce !== account.next) return
      if (account.pendingCost + tx.cost > account.balance) return
      if (this.#makeRoom(account, tx) !== undefined) {
        this.#blocked.add(account)
        return
      }
      this.#contents.removeQueued(account, tx)
      this.#contents.appendPending(account, tx)
    }
  }

  promoteBlocked(): void {
    const accounts = [...this.#blocked]
    this.#blocked.clear()
    for (const account of accounts) this.promote(account)
  }

  /**
   * Queues transactions that were pending. To keep the caps, the last of the account and the cheapest of all
   * are dropped.
   */
  demote(account: PoolAccount, transactions: readonly PoolTransaction[]): void {
    const { accountQueue, globalQueue } = this.#settings
    for (const tx of transactions) this.#contents.addQueued(account, tx)
    while (account.queued.length > accountQueue)
      this.dropQueued(account, account.queued.at(-1) as PoolTransaction, 'evicted')
    while (this.#contents.queuedSlots > globalQueue) {
      const cheapest = this.#contents.queueEvictions(this.baseFee).popCheapest() as PoolTransaction // some are queued: slots > 0
      this.dropQueued(this.#accountOf(cheapest), cheapest, 'evicted')
    }
  }

  dropQueued(account: PoolAccount, tx: PoolTransaction, reason: Parameters<PoolContents['drop']>[1]): void {
    this.#contents.removeQueued(account, tx)
    this.#contents.drop(tx, reason)
    this.#contents.removeIfEmpty(account)
  }

  #accountOf(tx: PoolTransaction): PoolAccount {
    return this.#contents.accountAt(tx.sender) as PoolAccount // every pooled transaction has its account
  }
}

/** Checks that both fees rise by the price bump, and at least by one; for blobs the third fee too. */
const isReplacementPriced = (tx: PoolTransaction, old: PoolTransaction, settings: PoolSettings): boolean => {
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
