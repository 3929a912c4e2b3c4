import type { PoolAccount } from '../account.ts'
import type { PoolContents } from '../poolContents.ts'
import type { PoolSettings, PoolTransaction } from '../types.ts'
import { type Rejection, reject } from './rejections.ts'

/** Finds valid transactions their place: pending or queued, beside or instead of others, within the caps. */
export class QueueManager {
  readonly #contents: PoolContents
  readonly #settings: PoolSettings
  /** Accounts whose next transaction waits only for room among the pending. */
  readonly #blocked = new Set<PoolAccount>()
  baseFee = 0n

  constructor(book: PoolContents, settings: PoolSettings) {
    this.#contents = book
    this.#settings = settings
  }

  addTransaction(account: PoolAccount, tx: PoolTransaction): Rejection | undefined {
    const { nonce } = tx.transaction
    const rejection = this.#replace(account, tx, nonce)
    if (rejection === undefined) this.promote(account)
    return rejection
  }

  #replace(account: PoolAccount, tx: PoolTransaction, nonce: bigint): Rejection | undefined {
    const pending = account.pendingAt(nonce)
    const old = pending ?? account.queuedAt(nonce)
    if (old === undefined)
      return nonce === account.next ? this.#append(account, tx) : this.#queue(account, tx)
    if (!isReplacementPriced(tx, old, this.#settings)) return reject('replacementUnderpriced')
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
    const refusal = this.#makeRoom(account, tx)
    if (refusal !== undefined) return refusal
    this.#contents.insert(tx, account)
    this.#contents.appendPending(account, tx)
    return undefined
  }

  /** Frees room among the pending for the account's next one, at the cost of cheaper ones at the end of their runs. */
  #makeRoom(account: PoolAccount, tx: PoolTransaction): Rejection | undefined {
    const missing = this.#contents.pendingSlots + tx.slots - this.#settings.globalSlots
    if (missing <= 0) return undefined
    const tails = this.#contents.tails(this.baseFee)
    const price = tails.priceAfter(account, tx)
    const plan = tails.selectEvictions(missing, {
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

  /** Only other queued transactions make room for one that cannot run yet. */
  #queue(account: PoolAccount, tx: PoolTransaction): Rejection | undefined {
    const { accountQueue, globalQueue } = this.#settings
    const isOverCap = account.queued.length >= accountQueue
    const last = isOverCap ? account.queued.at(-1) : undefined
    if (isOverCap && (last === undefined || last.transaction.nonce < tx.transaction.nonce))
      return reject('accountLimit', account.queued.length)
    const missing = this.#contents.queuedSlots - (last?.slots ?? 0) + tx.slots - globalQueue
    if (missing > 0) {
      const evictions = this.#contents.queue(this.baseFee).selectEvictions(missing, tx, last)
      if (evictions === undefined) return reject('underpriced')
      for (const other of evictions) this.dropQueued(this.#accountOf(other), other, 'evicted')
    }
    if (last) this.dropQueued(account, last, 'evicted')
    this.#contents.insert(tx, account)
    this.#contents.addQueued(account, tx)
    return undefined
  }

  /** Moves what continues the account's run, and what its sender can pay, to the pending. */
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

  /** Queues what was pending; the caps hold, at the cost of the last of the account and of the cheapest of all. */
  demote(account: PoolAccount, transactions: readonly PoolTransaction[]): void {
    const { accountQueue, globalQueue } = this.#settings
    for (const tx of transactions) this.#contents.addQueued(account, tx)
    while (account.queued.length > accountQueue)
      this.dropQueued(account, account.queued.at(-1) as PoolTransaction, 'evicted')
    while (this.#contents.queuedSlots > globalQueue) {
      const cheapest = this.#contents.queue(this.baseFee).popCheapest() as PoolTransaction // some are queued: slots > 0
      this.dropQueued(this.#accountOf(cheapest), cheapest, 'evicted')
    }
  }

  dropQueued(account: PoolAccount, tx: PoolTransaction, reason: Parameters<PoolContents['drop']>[1]): void {
    this.#contents.removeQueued(account, tx)
    this.#contents.drop(tx, reason)
    this.#contents.removeIfEmpty(account)
  }

  #accountOf(tx: PoolTransaction): PoolAccount {
    return this.#contents.accountAt(tx.sender) as PoolAccount // every transaction of the book has its account there
  }
}

/** Both fees must rise by the bump, and by something; for blobs the third one too. */
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
