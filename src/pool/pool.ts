import { toHex } from '../base/encoding/hex.ts'
import { limitExceeded } from '../chain/chainError.ts'
import type { PoolAccount } from './account.ts'
import { QueueManager } from './admission/queueManager.ts'
import { isLasting, type Rejection, reject } from './admission/rejections.ts'
import { checkAuthorities, checkState } from './admission/stateChecks.ts'
import { checkContent, checkLimits, checkLocal } from './admission/statelessChecks.ts'
import { toPoolTransaction } from './admission/submission.ts'
import type { Emitter } from './emitter.ts'
import { compareNonces } from './order/nonces.ts'
import type { BlockPrices } from './order/prices.ts'
import { type SelectionLimits, selectTransactions } from './order/selection.ts'
import { PoolContents } from './poolContents.ts'
import { findRuleChange, PoolMaintenance } from './poolMaintenance.ts'
import type {
  AddResult,
  BlobPolicy,
  DropReason,
  PoolEvents,
  PoolHead,
  PoolSettings,
  PoolState,
  PoolTransaction,
  Signers,
  Submission,
} from './types.ts'

interface PoolDependencies {
  readonly state: PoolState
  readonly head: PoolHead
  readonly blobs: BlobPolicy
  /** Returns a monotonic time in milliseconds. */
  readonly now: () => number
  /** Called with what a listener of an event throws. */
  readonly onListenerError: (error: unknown) => void
}

/** The effect of a block, or of another change of the head, on the accounts. */
interface PoolHeadUpdate {
  /** The hashes of the transactions in the block. */
  readonly included: Iterable<Uint8Array>
  /** Every account that changed; undefined if any may have changed. */
  readonly changed: Iterable<Uint8Array> | undefined
}

export interface PoolContent {
  /** The pending transactions by address as lower-case DATA, each list by nonce. */
  readonly pending: ReadonlyMap<string, readonly PoolTransaction[]>
  /** The queued and the parked ones. */
  readonly queued: ReadonlyMap<string, readonly PoolTransaction[]>
}

/** For how many milliseconds a head looks whether parked transactions can come back. The rest has its turn at the next ones. */
const parkedTurnMs = 5

/**
 * Valid transactions that are in no block yet, with geth's rules: the pending ones of a sender have no nonce
 * gap from its nonce on and the sender can pay all of them; the others are queued. Acknowledged ones that there is no
 * room or no money for are parked until there is. All methods are synchronous.
 */
export class TransactionPool {
  readonly events: Pick<Emitter<PoolEvents>, 'on'>
  readonly #settings: PoolSettings
  readonly #state: PoolState
  readonly #blobs: BlobPolicy
  readonly #now: () => number
  readonly #contents: PoolContents
  readonly #queueManager: QueueManager
  readonly #maintenance: PoolMaintenance
  #head: PoolHead
  #arrivals = 0
  /**
   * Records that these leave for good, before they do; returns false if it cannot be recorded and they would come back at the next
   * start. Set by whoever keeps a journal.
   */
  recordLeaving: (transactions: readonly PoolTransaction[]) => boolean = () => true
  /** Set while the parked transactions have a turn because others were removed. */
  #returning: NodeJS.Immediate | undefined

  constructor(settings: PoolSettings, { state, head, blobs, now, onListenerError }: PoolDependencies) {
    this.#settings = settings
    this.#state = state
    this.#blobs = blobs
    this.#now = now
    this.#contents = new PoolContents(settings, { state, now, onListenerError })
    this.#queueManager = new QueueManager(this.#contents, settings, (tx, account) =>
      this.#checkAgain(tx, account),
    )
    this.#maintenance = new PoolMaintenance(this.#contents, this.#queueManager, state, (tx, change) =>
      change === 'fork' ? this.#checkRules(tx) : checkLimits(tx, this.#head, this.#blobs),
    )
    this.#queueManager.baseFee = head.baseFee
    this.#head = head
    this.events = this.#contents.events
  }

  get head(): PoolHead {
    return this.#head
  }

  get order(): PoolSettings['order'] {
    return this.#settings.order
  }

  /** A number that changes whenever the content changes. */
  get version(): number {
    return this.#contents.version
  }

  /** The number of pending and of all other transactions. */
  get counts(): { readonly pending: number; readonly queued: number } {
    const { pendingCount, queuedCount } = this.#contents
    return { pending: pendingCount, queued: queuedCount + this.parkedCount }
  }

  get parkedCount(): number {
    return this.#contents.parked.size
  }

  /**
   * Makes the checks that need no sender, for a caller that would have to recover it. `add` makes them again.
   */
  precheck(submission: Submission, isLocal: boolean): Rejection | undefined {
    return this.#checkNew(submission, isLocal) ?? this.#check(submission)
  }

  #checkNew({ transaction, id }: Submission, isLocal: boolean): Rejection | undefined {
    this.renewRules()
    const rejection = isLocal ? checkLocal(transaction, this.#settings) : undefined
    if (rejection !== undefined) return rejection
    return this.#contents.get(id) ? reject('alreadyKnown') : undefined
  }

  /** Adds a transaction, or returns its rejection. Its arrival is now, unless a number was reserved for it. */
  add(
    submission: Submission,
    signers: Signers,
    isLocal: boolean,
    arrival: number = this.#arrivals++,
  ): AddResult {
    const rejection = this.#checkNew(submission, isLocal)
    if (rejection !== undefined) return { rejection }
    const tx = toPoolTransaction(submission, signers, isLocal, arrival)
    const admission = this.#admit(tx, (account) => this.#checkAll(tx, account))
    this.#contents.flushEvents()
    return admission
  }

  /** Reserves numbers for transactions that arrived before all that come from now on; returns the first of them. */
  reserveArrivals(count: number): number {
    const first = this.#arrivals
    this.#arrivals += count
    return first
  }

  /**
   * Adds an acknowledged transaction of a former process. A transaction that is rejected only for now is parked; any other rejection
   * is returned.
   */
  restore(submission: Submission, signers: Signers, arrival: number): AddResult {
    this.renewRules()
    const known = this.#contents.get(submission.id)
    if (known !== undefined) {
      known.isLocal = true
      return { transaction: known }
    }
    const transaction = toPoolTransaction(submission, signers, true, arrival)
    const { rejection } = this.#admit(transaction)
    const isRefused = rejection !== undefined && (isLasting(rejection) || !this.#keep(transaction, rejection))
    if (rejection?.kind === 'replacementUnderpriced') this.#keepInPlaceOf(transaction)
    this.#contents.flushEvents()
    return isRefused ? { rejection } : { transaction }
  }

  /** Keeps the transaction that an acknowledged one may not replace. */
  #keepInPlaceOf({ sender, transaction: { nonce } }: PoolTransaction): void {
    const account = this.#contents.accountAt(sender)
    const other = account?.pendingAt(nonce) ?? account?.queuedAt(nonce)
    if (other !== undefined) this.#contents.keep(other)
  }

  /** Admits a transaction that was here before, unless it is rejected for good. */
  #readmit(tx: PoolTransaction): void {
    const { rejection } = this.#admit(tx)
    if (rejection !== undefined) this.#keep(tx, rejection)
  }

  /** Parks an acknowledged transaction that is rejected only for now, or queues it. Returns false if it is dropped. */
  #keep(tx: PoolTransaction, rejection: Rejection): boolean {
    this.#contents.letGo(tx, toDropReason(rejection, tx))
    if (!this.#contents.parked.has(tx)) return false
    const account = this.#contents.getOrCreateAccount(tx.sender)
    this.#queueManager.returnOne(account, tx)
    return true
  }

  /**
   * Makes a transaction of others an acknowledged one. Rejects it if it is one already, or if there would be no room to
   * park it.
   */
  makeLocal(id: string): AddResult {
    const tx = this.#contents.get(id)
    if (tx === undefined || tx.isLocal) return { rejection: reject('alreadyKnown') }
    const account = this.#contents.accountAt(tx.sender)
    const rejection = account && this.#queueManager.checkAcknowledged(account, tx)
    if (rejection !== undefined) return { rejection }
    tx.isLocal = true
    return { transaction: tx }
  }

  /** Checks the rules of the head that need no state. */
  #check(tx: Submission): Rejection | undefined {
    return checkLimits(tx, this.#head, this.#blobs) ?? checkContent(tx, this.#head, this.#settings)
  }

  /**
   * Makes all checks except for the capacity of the pool, for a caller with costly checks of its own to follow. `add`
   * makes them again.
   */
  validate(submission: Submission, signers: Signers, isLocal: boolean): Rejection | undefined {
    const rejection = this.#checkNew(submission, isLocal)
    if (rejection !== undefined) return rejection
    const transaction = toPoolTransaction(submission, signers, isLocal, this.#arrivals)
    const account = this.#contents.getOrCreateAccount(signers.sender)
    return this.#checkAll(transaction, account) ?? this.#queueManager.checkPlace(account, transaction)
  }

  /** Does the same for one that was checked before: all of its data is read only if the rules for that are others now. */
  #checkRules(tx: PoolTransaction): Rejection | undefined {
    const { fork } = this.#head
    if (tx.validUnder === fork) return checkLimits(tx, this.#head, this.#blobs)
    const rejection = this.#check(tx)
    if (rejection === undefined) tx.validUnder = fork
    return rejection
  }

  #checkAll(transaction: PoolTransaction, account: PoolAccount): Rejection | undefined {
    return this.#checkAgain(transaction, account) ?? checkAuthorities(transaction, this.#contents)
  }

  /** Makes the checks for one that was here before. */
  #checkAgain(transaction: PoolTransaction, account: PoolAccount): Rejection | undefined {
    return (
      this.#checkRules(transaction) ??
      checkState(transaction, account, this.#contents, this.#head, this.#settings)
    )
  }

  #admit(
    transaction: PoolTransaction,
    check = (account: PoolAccount) => this.#checkAgain(transaction, account),
  ): AddResult {
    const account = this.#contents.getOrCreateAccount(transaction.sender)
    const rejection = check(account) ?? this.#queueManager.addTransaction(account, transaction)
    return rejection === undefined ? { transaction } : { rejection }
  }

  /**
   * Returns the nonce for the sender's next transaction: the head's nonce plus the number of pending ones, and of those
   * that follow them and wait only for room.
   */
  nextNonce(address: Uint8Array): bigint {
    const account = this.#contents.accountAt(address)
    if (account === undefined) return this.#state.nonce(address)
    let nonce = account.next
    while (this.#waitsForRoom(account, nonce)) nonce++
    return nonce
  }

  /** Returns whether the sender has one with this nonce that waits only for room, or for those before it that do. */
  #waitsForRoom(account: PoolAccount, nonce: bigint): boolean {
    const parked = this.#contents.parked.at(account.id, nonce)
    if (parked !== undefined) return parked.cost <= account.balance
    const tx = account.queuedAt(nonce)
    if (tx === undefined) return false
    if (nonce > account.next) return tx.cost <= account.balance
    // What others sent may be dropped for want of room.
    return tx.isLocal && account.pendingCost + tx.cost <= account.balance
  }

  /** Returns the state of a sender that its transactions were last checked against; undefined if it has none here. */
  stateOf(address: Uint8Array): Pick<PoolAccount, 'nonce' | 'balance' | 'codeKind'> | undefined {
    return this.#contents.accountAt(address)
  }

  get(hash: Uint8Array): PoolTransaction | undefined {
    return this.#contents.get(toHex(hash))
  }

  isPending(transaction: PoolTransaction): boolean {
    return this.#contents.isPending(transaction)
  }

  isParked(transaction: PoolTransaction): boolean {
    return this.#contents.parked.has(transaction)
  }

  /**
   * Returns whether a block of these prices, by default those that the rules ask of the next one, could hold the
   * transaction: it and those of its sender before it pay them.
   */
  isIncludable(transaction: PoolTransaction, prices: Partial<BlockPrices> = {}): boolean {
    if (!this.isPending(transaction)) return false
    const account = this.#contents.accountAt(transaction.sender)
    if (account === undefined) return false
    const { baseFee = this.#head.baseFee, blobBaseFee = this.#head.blobBaseFee, minTip = 0n } = prices
    const position = Number(transaction.transaction.nonce - account.nonce)
    return position < account.payableCount({ baseFee, blobBaseFee, minTip })
  }

  /** Returns for how many milliseconds a transaction has been in the pool. */
  ageOf(transaction: PoolTransaction): number {
    const now = this.#now()
    return now - (this.#contents.insertedAt(transaction) ?? now)
  }

  pendingOf(address: Uint8Array): readonly PoolTransaction[] {
    return this.#contents.accountAt(address)?.pending.slice() ?? []
  }

  /** Returns the queued and the parked transactions of a sender, by nonce. */
  queuedOf(address: Uint8Array): readonly PoolTransaction[] {
    const account = this.#contents.accountAt(address)
    return account === undefined ? [] : this.#waitingOf(account)
  }

  #waitingOf({ id, queued }: PoolAccount): readonly PoolTransaction[] {
    const parked = this.#contents.parked.of(id)
    return parked.length > 0 ? [...queued, ...parked].sort(compareNonces) : queued.slice()
  }

  content(): PoolContent {
    const pending = new Map<string, readonly PoolTransaction[]>()
    const queued = new Map<string, readonly PoolTransaction[]>()
    for (const account of this.#contents.accounts()) {
      if (account.pending.length > 0) pending.set(account.id, account.pending.slice())
      const waiting = this.#waitingOf(account)
      if (waiting.length > 0) queued.set(account.id, waiting)
    }
    return { pending, queued }
  }

  /** Returns all transactions, in the order of arrival. */
  transactions(): Iterable<PoolTransaction> {
    return this.#contents.transactions()
  }

  /**
   * Returns the pending transactions for a block, best first. Throws if the pool changes before all are read.
   */
  *select(limits: SelectionLimits): Generator<PoolTransaction, void> {
    this.renewRules()
    const version = this.#contents.version
    const { order } = this.#settings
    for (const transaction of selectTransactions(this.#contents.accounts(), limits, order)) {
      yield transaction
      if (this.#contents.version !== version) throw new Error('the pool changed during a selection')
    }
  }

  /** Moves to the next head of the chain. The cost depends on `changed`, unless the rules changed. */
  onHead(head: PoolHead, { included, changed }: PoolHeadUpdate): void {
    const change = findRuleChange(this.#head, head)
    this.#setHead(head)
    const ids = new Set<string>()
    for (const hash of included) ids.add(toHex(hash))
    const accounts =
      changed === undefined || change !== undefined
        ? new Set(this.#contents.accounts())
        : this.#accountsAt(changed)
    for (const account of accounts) this.#maintenance.refresh(account, ids, change)
    // Promotions come last: before all included transactions are removed, one could evict without need.
    for (const account of accounts) {
      this.#queueManager.promote(account)
      this.#contents.parked.hasten(account.id)
    }
    this.#queueManager.promoteBlocked()
    this.#contents.announceHead(head)
    this.expire()
  }

  /** Looks for some senders whether what is parked of them can come back, each time for others. */
  #returnSome(): void {
    const { parked } = this.#contents
    if (parked.size === 0) return
    const end = this.#now() + parkedTurnMs
    for (const id of parked.takeTurn()) {
      const account = this.#contents.accountById(id)
      if (account !== undefined) this.#queueManager.returnParked(account)
      if (this.#now() >= end) return
    }
  }

  /** Does so once, however many transactions are removed in this turn. */
  #returnSoon(): void {
    if (this.parkedCount === 0) return
    this.#returning ??= setImmediate(() => {
      this.#returning = undefined
      this.#returnSome()
      this.#contents.flushEvents()
    })
  }

  /**
   * Moves to the rules of now if a fork has begun since the head came: no block may come for hours, and the next one
   * has the new rules. Transactions that they forbid are dropped.
   */
  renewRules(): void {
    const renewed = this.#head.renew?.()
    if (renewed !== undefined) this.onHead(renewed, { included: [], changed: [] })
  }

  /** Returns the accounts of those of the addresses that have transactions here. */
  #accountsAt(addresses: Iterable<Uint8Array>): ReadonlySet<PoolAccount> {
    const accounts = new Set<PoolAccount>()
    for (const address of addresses) {
      const account = this.#contents.accountAt(address)
      if (account !== undefined) accounts.add(account)
    }
    return accounts
  }

  /**
   * Moves to a head that does not follow. The reverted transactions are added as new ones, and the others are added
   * again after them, so that the queue's caps drop none of them while the first transactions of their sender
   * are missing.
   */
  reset(head: PoolHead, reverted: Iterable<readonly [Submission, Signers]>): void {
    const before = this.#contents.removeAll()
    this.#setHead(head)
    for (const [submission, signers] of reverted) {
      if (this.#checkNew(submission, false) === undefined)
        this.#admit(toPoolTransaction(submission, signers, false, this.#arrivals++))
    }
    for (const tx of before) if (this.#contents.get(tx.id) === undefined) this.#readmit(tx)
    this.#contents.announceHead(head)
    this.#contents.flushEvents()
  }

  /**
   * Drops transactions that have been queued, or in the pool, for too long; those whose end cannot be recorded stay until the next
   * time. A timer calls it, because no head may come for hours.
   */
  expire(): void {
    this.renewRules()
    const { lifetime, pendingLifetime } = this.#settings
    const now = this.#now()
    const expired = [
      ...this.#contents.queuedBefore(now - lifetime),
      ...this.#contents.insertedBefore(now - pendingLifetime),
    ]
    if (expired.length > 0 && this.recordLeaving(expired)) {
      // One may be in both lists.
      for (const tx of expired) if (this.#contents.get(tx.id) === tx) this.#remove(tx, 'expired')
      this.#queueManager.promoteBlocked()
    }
    this.#returnSome()
    this.#contents.flushEvents()
  }

  /**
   * Removes one transaction; later ones of its sender become queued. Returns false if it is not in the pool.
   */
  remove(hash: Uint8Array): boolean {
    const tx = this.get(hash)
    if (tx === undefined) return false
    this.#remove(tx, 'removed')
    this.#queueManager.promoteBlocked()
    this.#returnSoon()
    this.#contents.flushEvents()
    return true
  }

  /** Removes transactions because somebody asks. Throws a ChainError and removes none if they would come back at the next start. */
  takeOut(transactions: readonly PoolTransaction[]): void {
    this.#assertLeaving(transactions)
    // The last of a sender first: those behind one that leaves would be queued.
    for (const tx of [...transactions].reverse()) this.#remove(tx, 'removed')
    this.#queueManager.promoteBlocked()
    this.#returnSoon()
    this.#contents.flushEvents()
  }

  /** Does so with all of them. */
  takeOutAll(): void {
    this.#assertLeaving([...this.#contents.transactions()])
    this.clear()
  }

  #assertLeaving(transactions: readonly PoolTransaction[]): void {
    if (!this.recordLeaving(transactions))
      throw limitExceeded(
        'the journal of the pool cannot be written, and what is removed now would come back at the next start: look at the disk of this node, and ask again',
      )
  }

  /** Removes one that is not acknowledged after all; what it replaced of the acknowledged ones comes back. */
  takeBack(tx: PoolTransaction, replaced: readonly PoolTransaction[]): void {
    this.#remove(tx, 'removed')
    for (const old of replaced) this.#readmit(old)
    this.#queueManager.promoteBlocked()
    this.#contents.flushEvents()
  }

  #remove(tx: PoolTransaction, reason: DropReason): void {
    if (this.#contents.parked.has(tx)) return this.#contents.letGo(tx, reason)
    const account = this.#contents.accountAt(tx.sender)
    if (account === undefined) return
    if (this.#contents.isQueued(tx)) this.#queueManager.dropQueued(account, tx, reason)
    else this.#maintenance.dropPending(account, account.pending.indexOf(tx), reason)
  }

  clear(): void {
    for (const account of [...this.#contents.accounts()]) {
      for (const tx of this.#contents.removePending(account, 0)) this.#contents.letGo(tx, 'removed')
      for (const tx of [...account.queued]) this.#queueManager.dropQueued(account, tx, 'removed')
      this.#contents.removeIfEmpty(account)
    }
    // All others are parked.
    for (const tx of [...this.#contents.transactions()]) this.#contents.letGo(tx, 'removed')
    this.#contents.flushEvents()
  }

  #setHead(head: PoolHead): void {
    this.#head = head
    this.#queueManager.baseFee = head.baseFee
    this.#contents.dropIndexes()
  }
}

const toDropReason = (rejection: Rejection, { isLocal }: PoolTransaction): DropReason => {
  const { kind } = rejection
  if (kind === 'nonceTooLow') return 'stale'
  if (kind === 'insufficientFunds' || kind === 'insufficientFundsForAll') return 'unpayable'
  if (kind === 'underpriced' || kind === 'poolFull' || kind === 'accountLimit') return 'evicted'
  return isLocal && !isLasting(rejection) ? 'evicted' : 'invalid'
}
