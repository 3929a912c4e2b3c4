import { toHex } from '../base/encoding/hex.ts'
import { PoolAccount } from './account.ts'
import { Emitter } from './emitter.ts'
import { PendingEvictionIndex } from './order/pendingEvictionIndex.ts'
import { QueueEvictionIndex } from './order/queueEvictionIndex.ts'
import { ParkedTransactions } from './parked/parkedTransactions.ts'
import type { DropReason, PoolEvents, PoolHead, PoolSettings, PoolState, PoolTransaction } from './types.ts'

interface ContentsDependencies {
  readonly state: PoolState
  readonly now: () => number
  readonly onListenerError: (error: unknown) => void
}

/**
 * The transactions of the pool by account. Every move goes through here, so that counters, indexes, version
 * and events follow; the pool decides which moves to make.
 */
export class PoolContents {
  readonly events: Emitter<PoolEvents>
  readonly parked = new ParkedTransactions()
  readonly #settings: PoolSettings
  readonly #state: PoolState
  readonly #now: () => number
  readonly #all = new Map<string, PoolTransaction>()
  readonly #accounts = new Map<string, PoolAccount>()
  /** The time since which each transaction is queued, oldest first. */
  readonly #queuedSince = new Map<PoolTransaction, number>()
  /** The time at which each transaction was inserted first, oldest first. */
  readonly #insertedAt = new Map<PoolTransaction, number>()
  readonly #authorities = new Map<string, number>()
  /** The transactions that were pending before the pool was emptied, and so are not announced again. */
  readonly #announced = new Set<PoolTransaction>()
  #queuedEvents: (() => void)[] = []
  #pendingEvictions: PendingEvictionIndex | undefined
  #queueEvictions: QueueEvictionIndex | undefined
  pendingCount = 0
  pendingSlots = 0
  queuedSlots = 0
  version = 0

  constructor(settings: PoolSettings, { state, now, onListenerError }: ContentsDependencies) {
    this.events = new Emitter(onListenerError)
    this.#settings = settings
    this.#state = state
    this.#now = now
  }

  get size(): number {
    return this.#all.size
  }

  get queuedCount(): number {
    return this.#queuedSince.size
  }

  get(id: string): PoolTransaction | undefined {
    return this.#all.get(id)
  }

  transactions(): Iterable<PoolTransaction> {
    return this.#all.values()
  }

  accounts(): Iterable<PoolAccount> {
    return this.#accounts.values()
  }

  accountAt(address: Uint8Array): PoolAccount | undefined {
    return this.#accounts.get(toHex(address))
  }

  /** Returns the sender's account; one without transactions is stored only when it gets its first. */
  getOrCreateAccount(address: Uint8Array): PoolAccount {
    const id = toHex(address)
    return this.#accounts.get(id) ?? new PoolAccount(address, id).loadState(this.#state)
  }

  isAuthority(account: PoolAccount): boolean {
    return this.#authorities.has(account.id)
  }

  accountById(id: string): PoolAccount | undefined {
    return this.#accounts.get(id)
  }

  isQueued(tx: PoolTransaction): boolean {
    return this.#queuedSince.has(tx)
  }

  isPending(tx: PoolTransaction): boolean {
    return this.#all.get(tx.id) === tx && !this.isQueued(tx) && !this.parked.has(tx)
  }

  /** Returns the transactions that are queued since before `time`, oldest first. */
  *queuedBefore(time: number): Iterable<PoolTransaction> {
    for (const [tx, since] of this.#queuedSince) {
      if (since >= time) return
      yield tx
    }
  }

  /** Returns the transactions that are in the pool since before `time`, oldest first. */
  *insertedBefore(time: number): Iterable<PoolTransaction> {
    for (const [tx, since] of this.#insertedAt) {
      if (since >= time) return
      // A reorganization may have replaced the object.
      if (this.#all.get(tx.id) === tx) yield tx
      else this.#insertedAt.delete(tx)
    }
  }

  pendingEvictions(baseFee: bigint): PendingEvictionIndex {
    this.#pendingEvictions ??= new PendingEvictionIndex(
      this.#accounts.values(),
      this.#settings.accountSlots,
      baseFee,
    )
    return this.#pendingEvictions
  }

  queueEvictions(baseFee: bigint): QueueEvictionIndex {
    if (this.#queueEvictions && this.#queueEvictions.size > 64 + 4 * this.queuedCount)
      this.#queueEvictions = undefined
    this.#queueEvictions ??= new QueueEvictionIndex(this.#queuedSince.keys(), baseFee, (tx) =>
      this.isQueued(tx),
    )
    return this.#queueEvictions
  }

  /** Drops the indexes, because prices depend on the base fee. */
  dropIndexes(): void {
    this.#pendingEvictions = undefined
    this.#queueEvictions = undefined
  }

  /** Returns when a transaction was inserted; undefined if it is not here. */
  insertedAt(tx: PoolTransaction): number | undefined {
    return this.#insertedAt.get(tx)
  }

  /** Inserts a transaction, or one that was parked; it must then be moved to `pending` or `queued` of its account. */
  insert(tx: PoolTransaction, account: PoolAccount): void {
    this.parked.delete(tx)
    this.#all.set(tx.id, tx)
    // A transaction that is added again after `removeAll` is as old as it was.
    if (!this.#insertedAt.has(tx)) this.#insertedAt.set(tx, this.#now())
    this.#accounts.set(account.id, account)
    for (const id of tx.authorities) this.#authorities.set(id, (this.#authorities.get(id) ?? 0) + 1)
  }

  /**
   * Has a transaction leave that was removed from its account, or by `removeAll`: an acknowledged one that lacks only room or
   * funds is parked, any other is dropped.
   */
  letGo(tx: PoolTransaction, reason: DropReason): void {
    if (tx.isLocal && this.#mayComeBack(reason)) return this.park(tx)
    this.#insertedAt.delete(tx)
    const wasParked = this.parked.delete(tx)
    if (this.#all.delete(tx.id) && !wasParked) for (const id of tx.authorities) this.#releaseAuthority(id)
    const account = wasParked ? this.accountAt(tx.sender) : undefined
    if (account !== undefined) this.removeIfEmpty(account)
    this.version++
    this.#queuedEvents.push(() => this.events.emit('dropped', { transaction: tx, reason }))
  }

  #mayComeBack(reason: DropReason): boolean {
    return reason === 'evicted' || (reason === 'unpayable' && this.#settings.keepsUnpayable)
  }

  /**
   * Drops a transaction for one of its sender with the same nonce. One of others that takes the place of an acknowledged one is
   * kept like it: the first is gone for good, and the nonce may be the next one of its sender.
   */
  dropReplaced(old: PoolTransaction, tx: PoolTransaction): void {
    this.letGo(old, 'replaced')
    if (old.isLocal) this.keep(tx)
  }

  /** Keeps a transaction of others in the place of an acknowledged one. */
  keep(tx: PoolTransaction): void {
    if (tx.isLocal) return
    tx.isLocal = true
    this.#queuedEvents.push(() => this.events.emit('kept', tx))
  }

  /** Parks an acknowledged transaction that is in no list of its account. */
  park(tx: PoolTransaction): void {
    const account = this.getOrCreateAccount(tx.sender)
    const old = this.parked.at(account.id, tx.transaction.nonce)
    if (old !== undefined && old !== tx) this.letGo(old, 'replaced')
    this.#accounts.set(account.id, account)
    const isKnown = this.#all.get(tx.id) === tx
    if (isKnown && !this.parked.has(tx)) for (const id of tx.authorities) this.#releaseAuthority(id)
    this.#all.set(tx.id, tx)
    if (!this.#insertedAt.has(tx)) this.#insertedAt.set(tx, this.#now())
    this.parked.add(tx)
    this.version++
    this.#queuedEvents.push(() => this.events.emit('parked', tx))
  }

  #releaseAuthority(id: string): void {
    const count = (this.#authorities.get(id) ?? 0) - 1
    if (count > 0) this.#authorities.set(id, count)
    else this.#authorities.delete(id)
  }

  /** Removes an account without transactions, parked ones among them. */
  removeIfEmpty(account: PoolAccount): void {
    if (account.isEmpty && this.parked.of(account.id).length === 0) this.#accounts.delete(account.id)
  }

  appendPending(account: PoolAccount, tx: PoolTransaction): void {
    account.appendPending(tx)
    this.#changedPending(account, account.pending.length - 1, 1, tx.slots)
    this.#announce(tx)
  }

  replacePending(account: PoolAccount, tx: PoolTransaction, old: PoolTransaction): void {
    account.replacePending(tx, old)
    const index = Number(tx.transaction.nonce - account.nonce)
    this.#changedPending(account, index, 0, tx.slots - old.slots)
    this.#announce(tx)
  }

  removePending(
    account: PoolAccount,
    index: number,
    count = account.pending.length - index,
  ): PoolTransaction[] {
    const taken = account.removePending(index, count)
    let slots = 0
    for (const tx of taken) slots += tx.slots
    this.#changedPending(account, index, -taken.length, -slots)
    return taken
  }

  addQueued(account: PoolAccount, tx: PoolTransaction): void {
    account.addQueued(tx)
    this.#queuedSince.set(tx, this.#now())
    this.queuedSlots += tx.slots
    this.#queueEvictions?.add(tx)
    this.version++
  }

  removeQueued(account: PoolAccount, tx: PoolTransaction): void {
    account.removeQueued(tx)
    this.#queuedSince.delete(tx)
    this.queuedSlots -= tx.slots
    this.version++
  }

  /**
   * Removes all transactions, grouped by sender and by nonce, and after them the parked ones. Those that are added again are not announced
   * again; the caller drops the others.
   */
  removeAll(): readonly PoolTransaction[] {
    const transactions: PoolTransaction[] = []
    for (const account of [...this.#accounts.values()]) {
      for (const tx of account.pending) this.#announced.add(tx)
      transactions.push(...this.removePending(account, 0), ...account.queued)
      for (const tx of [...account.queued]) this.removeQueued(account, tx)
    }
    for (const tx of this.#all.values()) if (this.parked.delete(tx)) transactions.push(tx)
    this.#all.clear()
    this.#accounts.clear()
    this.#authorities.clear()
    return transactions
  }

  announceHead(head: PoolHead): void {
    this.#queuedEvents.push(() => this.events.emit('head', head))
  }

  /** Calls the listeners, at the end of every operation, when the pool is consistent again. */
  flushEvents(): void {
    this.#announced.clear()
    while (this.#queuedEvents.length > 0) {
      const outbox = this.#queuedEvents
      this.#queuedEvents = []
      for (const send of outbox) send()
    }
  }

  #announce(tx: PoolTransaction): void {
    if (this.#announced.has(tx)) return
    this.#queuedEvents.push(() => this.events.emit('pending', tx))
  }

  #changedPending(account: PoolAccount, from: number, count: number, slots: number): void {
    this.pendingCount += count
    this.pendingSlots += slots
    this.#pendingEvictions?.update(account, from)
    this.version++
  }
}
