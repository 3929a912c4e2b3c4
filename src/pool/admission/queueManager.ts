import type { PoolAccount } from '../account.ts'
import type { PoolContents } from '../poolContents.ts'
import type { PoolSettings, PoolTransaction } from '../types.ts'
import { type Rejection, reject } from './rejections.ts'

/** A sender with this many parked transactions has its further sends rejected, but for the one that those wait for. */
const maxParkedOfSender = 64

/** Adds valid transactions to the pending or queued ones, replaces and evicts others, and keeps the caps. */
export class QueueManager {
  readonly #contents: PoolContents
  readonly #settings: PoolSettings
  /** Makes all checks of a transaction but those about room. */
  readonly #check: (tx: PoolTransaction, account: PoolAccount) => Rejection | undefined
  /** The accounts whose next transaction is not pending only because the pool is full. */
  readonly #blocked = new Set<PoolAccount>()
  baseFee = 0n

  constructor(
    contents: PoolContents,
    settings: PoolSettings,
    check: (tx: PoolTransaction, account: PoolAccount) => Rejection | undefined,
  ) {
    this.#contents = contents
    this.#settings = settings
    this.#check = check
  }

  /** Checks what the other transactions of the sender decide: the price of a replacement, and its share of the queue. */
  checkPlace(account: PoolAccount, tx: PoolTransaction): Rejection | undefined {
    const { nonce } = tx.transaction
    const old = account.pendingAt(nonce) ?? account.queuedAt(nonce)
    if (old !== undefined)
      return isReplacementPriced(tx, old, this.#settings) ? undefined : reject('replacementUnderpriced')
    if (nonce !== account.next && !this.#hasQueueRoom(account))
      return reject('accountLimit', account.queued.length)
    return this.#contents.parked.size > 0 ? this.#checkParked(account, tx) : undefined
  }

  #hasQueueRoom(account: PoolAccount): boolean {
    return account.queued.length < this.#settings.accountQueue
  }

  /** Checks the price of a replacement of a parked transaction, and the bounds of what is parked. */
  #checkParked(account: PoolAccount, tx: PoolTransaction): Rejection | undefined {
    const old = this.#contents.parked.at(account.id, tx.transaction.nonce)
    // A transaction that cannot be paid does not block those that can.
    const mayReplace =
      old === undefined || old.cost > account.balance || isReplacementPriced(tx, old, this.#settings)
    if (!mayReplace) return reject('replacementUnderpriced')
    return old === undefined && tx.isLocal ? this.checkAcknowledged(account, tx) : undefined
  }

  /**
   * Checks the bounds of what is parked, before a transaction is acknowledged. Whatever is acknowledged may have to be parked
   * later, and is then, so that above them at most what the pool holds can come. What the next block could hold is taken
   * however many of its sender are parked, because they wait for it, and up to twice the bound in all, because it is in no
   * need of parking: others who park what they never pay do not stop it.
   */
  checkAcknowledged(
    account: PoolAccount,
    { size, transaction, feeCap }: PoolTransaction,
  ): Rejection | undefined {
    const { parked } = this.#contents
    const own = parked.of(account.id).length
    const isNext = transaction.nonce === account.next && feeCap >= this.baseFee
    if (own >= maxParkedOfSender && !isNext) return reject('accountLimit', own)
    const bound = this.#settings.parkedBytes * (isNext ? 2 : 1)
    return parked.bytes > 0 && parked.bytes + size > bound ? reject('poolFull') : undefined
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
    if (old === undefined) {
      // It may be parked itself.
      const parked = this.#contents.parked.has(tx) ? undefined : this.#contents.parked.at(account.id, nonce)
      const rejection = nonce === account.next ? this.#append(account, tx) : this.#queue(account, tx)
      if (rejection === undefined && parked !== undefined) this.#contents.dropReplaced(parked, tx)
      return rejection
    }
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
    this.#contents.dropReplaced(old, tx)
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
      this.#contents.letGo(transaction, 'evicted')
      this.#contents.removeIfEmpty(other)
    }
    return undefined
  }

  /** Queues a transaction that cannot be executed yet; only other queued transactions are evicted for it. */
  #queue(account: PoolAccount, tx: PoolTransaction): Rejection | undefined {
    const missing = this.#contents.queuedSlots + tx.slots - this.#settings.globalQueue
    if (missing > 0) {
      const evictions = this.#contents.queueEvictions(this.baseFee).selectEvictions(missing, tx)
      if (evictions === undefined) return reject('underpriced')
      for (const other of evictions) this.dropQueued(this.#accountOf(other), other, 'evicted')
    }
    this.#contents.insert(tx, account)
    this.#contents.addQueued(account, tx)
    return undefined
  }

  /** Promotes the transactions, queued or parked, that continue the account's pending ones and that its sender can pay. */
  promote(account: PoolAccount): void {
    for (;;) {
      const tx = account.queued[0]
      if (tx === undefined || tx.transaction.nonce !== account.next) {
        if (!this.#promoteParked(account)) return
        continue
      }
      if (account.pendingCost + tx.cost > account.balance) return
      if (this.#makeRoom(account, tx) !== undefined) {
        this.#blocked.add(account)
        return
      }
      this.#contents.removeQueued(account, tx)
      this.#contents.appendPending(account, tx)
    }
  }

  #promoteParked(account: PoolAccount): boolean {
    const { parked } = this.#contents
    const tx = parked.size > 0 ? parked.at(account.id, account.next) : undefined
    if (tx === undefined || account.pendingCost + tx.cost > account.balance) return false
    return this.#check(tx, account) === undefined && this.#append(account, tx) === undefined
  }

  /** Restores what is parked of an account: what continues the pending ones, and the rest while the queue has room. */
  returnParked(account: PoolAccount): void {
    this.promote(account)
    for (const tx of [...this.#contents.parked.of(account.id)]) this.#returnBehind(account, tx)
  }

  /** Does the same for one of them. */
  returnOne(account: PoolAccount, tx: PoolTransaction): void {
    if (tx.transaction.nonce === account.next) this.promote(account)
    this.#returnBehind(account, tx)
  }

  /** Restores one that does not continue the pending ones. What costs little to find out is looked at first. */
  #returnBehind(account: PoolAccount, tx: PoolTransaction): void {
    const { nonce } = tx.transaction
    if (tx.cost > account.balance || !this.#contents.parked.has(tx)) return
    const old = account.pendingAt(nonce) ?? account.queuedAt(nonce)
    if (old !== undefined) return this.#returnInPlaceOf(old, account, tx)
    const hasRoom = this.#contents.queuedSlots + tx.slots <= this.#settings.globalQueue
    if (!hasRoom || !this.#hasQueueRoom(account)) return
    const rejection = this.#check(tx, account)
    const waits =
      rejection === undefined ? nonce !== account.next : rejection.kind === 'insufficientFundsForAll'
    if (!waits) return
    this.#contents.insert(tx, account)
    this.#contents.addQueued(account, tx)
  }

  /** Restores one whose nonce another one has by now, as its replacement. Until then that one stands for it. */
  #returnInPlaceOf(old: PoolTransaction, account: PoolAccount, tx: PoolTransaction): void {
    if (!isReplacementPriced(tx, old, this.#settings) || this.#check(tx, account) !== undefined) return
    if (this.#replace(account, tx, tx.transaction.nonce) === undefined) this.promote(account)
  }

  promoteBlocked(): void {
    const accounts = [...this.#blocked]
    this.#blocked.clear()
    // A queue that was empty in between is not of the pool any more, and knows nothing of what is there of its sender.
    for (const account of accounts)
      if (this.#contents.accountById(account.id) === account) this.promote(account)
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

  dropQueued(account: PoolAccount, tx: PoolTransaction, reason: Parameters<PoolContents['letGo']>[1]): void {
    this.#contents.removeQueued(account, tx)
    this.#contents.letGo(tx, reason)
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
