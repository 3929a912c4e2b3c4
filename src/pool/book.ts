import { toHex } from '../base/hex.ts'
import { Account } from './account.ts'
import { Emitter } from './emitter.ts'
import { QueueIndex } from './order/queueIndex.ts'
import { TailIndex } from './order/tailIndex.ts'
import type { DropReason, PoolEvents, PoolSettings, PoolState, PoolTransaction } from './types.ts'

/**
 * Where the transactions are. Every move goes through here, so that counters, indexes, version and events follow;
 * which moves are right is the pool's business.
 */
export class Book {
  readonly events = new Emitter<PoolEvents>()
  readonly #settings: PoolSettings
  readonly #now: () => number
  readonly #all = new Map<string, PoolTransaction>()
  readonly #accounts = new Map<string, Account>()
  /** When each queued transaction began to wait, oldest first. */
  readonly #queuedSince = new Map<PoolTransaction, number>()
  readonly #authorities = new Map<string, number>()
  /** Pending before the pool was emptied: no news to anybody. */
  readonly #announced = new Set<PoolTransaction>()
  #outbox: (() => void)[] = []
  #tails: TailIndex | undefined
  #queue: QueueIndex | undefined
  pendingCount = 0
  pendingSlots = 0
  queuedSlots = 0
  version = 0

  constructor(settings: PoolSettings, now: () => number) {
    this.#settings = settings
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

  accounts(): Iterable<Account> {
    return this.#accounts.values()
  }

  accountAt(address: Uint8Array): Account | undefined {
    return this.#accounts.get(toHex(address))
  }

  /** The sender's account; one that has no transactions yet is kept only once it gets its first. */
  openAccount(address: Uint8Array, state: PoolState): Account {
    const id = toHex(address)
    return this.#accounts.get(id) ?? new Account(address, id).read(state)
  }

  isAuthority(account: Account): boolean {
    return this.#authorities.has(account.id)
  }

  accountById(id: string): Account | undefined {
    return this.#accounts.get(id)
  }

  isQueued(tx: PoolTransaction): boolean {
    return this.#queuedSince.has(tx)
  }

  /** Queued since before `time`, oldest first. */
  *queuedBefore(time: number): Iterable<PoolTransaction> {
    for (const [tx, since] of this.#queuedSince) {
      if (since >= time) return
      yield tx
    }
  }

  tails(baseFee: bigint): TailIndex {
    this.#tails ??= new TailIndex(this.#accounts.values(), this.#settings.accountSlots, baseFee)
    return this.#tails
  }

  queue(baseFee: bigint): QueueIndex {
    if (this.#queue && this.#queue.size > 64 + 4 * this.queuedCount) this.#queue = undefined
    this.#queue ??= new QueueIndex(this.#queuedSince.keys(), baseFee, (tx) => this.isQueued(tx))
    return this.#queue
  }

  /** Prices are others at another base fee. */
  dropIndexes(): void {
    this.#tails = undefined
    this.#queue = undefined
  }

  /** Enters a transaction; a move into `pending` or `queued` of its account must follow. */
  enter(tx: PoolTransaction, account: Account): void {
    this.#all.set(tx.id, tx)
    this.#accounts.set(account.id, account)
    for (const id of tx.authorities) this.#authorities.set(id, (this.#authorities.get(id) ?? 0) + 1)
  }

  /** Forgets a transaction that was taken out of its account, or with `empty`. */
  forget(tx: PoolTransaction, reason: DropReason): void {
    if (this.#all.delete(tx.id)) for (const id of tx.authorities) this.#releaseAuthority(id)
    this.version++
    this.#outbox.push(() => this.events.emit('dropped', { transaction: tx, reason }))
  }

  #releaseAuthority(id: string): void {
    const count = (this.#authorities.get(id) ?? 0) - 1
    if (count > 0) this.#authorities.set(id, count)
    else this.#authorities.delete(id)
  }

  /** Lets go of an account without transactions. */
  release(account: Account): void {
    if (account.isEmpty) this.#accounts.delete(account.id)
  }

  appendPending(account: Account, tx: PoolTransaction): void {
    account.appendPending(tx)
    this.#changedPending(account, account.pending.length - 1, 1, tx.slots)
    this.#announce(tx)
  }

  swapPending(account: Account, tx: PoolTransaction, old: PoolTransaction): void {
    account.swapPending(tx, old)
    const index = Number(tx.transaction.nonce - account.nonce)
    this.#changedPending(account, index, 0, tx.slots - old.slots)
    this.#announce(tx)
  }

  takePending(account: Account, index: number, count = account.pending.length - index): PoolTransaction[] {
    const taken = account.takePending(index, count)
    let slots = 0
    for (const tx of taken) slots += tx.slots
    this.#changedPending(account, index, -taken.length, -slots)
    return taken
  }

  putQueued(account: Account, tx: PoolTransaction): void {
    account.putQueued(tx)
    this.#queuedSince.set(tx, this.#now())
    this.queuedSlots += tx.slots
    this.#queue?.add(tx)
    this.version++
  }

  takeQueued(account: Account, tx: PoolTransaction): void {
    account.takeQueued(tx)
    this.#queuedSince.delete(tx)
    this.queuedSlots -= tx.slots
    this.version++
  }

  /**
   * Takes everything out, senders together and by nonce. Those that come back are not announced again; a caller
   * forgets those that do not.
   */
  empty(): readonly PoolTransaction[] {
    const transactions: PoolTransaction[] = []
    for (const account of [...this.#accounts.values()]) {
      for (const tx of account.pending) this.#announced.add(tx)
      transactions.push(...this.takePending(account, 0), ...account.queued)
      for (const tx of [...account.queued]) this.takeQueued(account, tx)
      this.release(account)
    }
    this.#all.clear()
    this.#authorities.clear()
    return transactions
  }

  /** Tells listeners what happened: last in every operation, when all is in place again. */
  tell(): void {
    this.#announced.clear()
    while (this.#outbox.length > 0) {
      const outbox = this.#outbox
      this.#outbox = []
      for (const send of outbox) send()
    }
  }

  #announce(tx: PoolTransaction): void {
    if (this.#announced.has(tx)) return
    this.#outbox.push(() => this.events.emit('pending', tx))
  }

  #changedPending(account: Account, from: number, count: number, slots: number): void {
    this.pendingCount += count
    this.pendingSlots += slots
    this.#tails?.update(account, from)
    this.version++
  }
}
