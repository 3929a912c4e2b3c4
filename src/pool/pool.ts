import { toHex } from '../base/hex.ts'
import type { PoolAccount } from './account.ts'
import { QueueManager } from './admission/queueManager.ts'
import { type Rejection, reject } from './admission/rejections.ts'
import { checkState } from './admission/stateChecks.ts'
import { checkAfterRecovery, checkBeforeRecovery, checkLocal } from './admission/statelessChecks.ts'
import { toPoolTransaction } from './admission/submission.ts'
import type { Emitter } from './emitter.ts'
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
  /** Milliseconds that only grow. */
  readonly now: () => number
}

/** What a block, or another move of the head, did to the accounts. */
interface PoolHeadUpdate {
  /** Hashes of the transactions in the block. */
  readonly included: Iterable<Uint8Array>
  /** Every account that is not as it was; undefined: any may have changed. */
  readonly changed: Iterable<Uint8Array> | undefined
}

export interface PoolContent {
  /** By address as DATA, in lower case; each list by nonce. */
  readonly pending: ReadonlyMap<string, readonly PoolTransaction[]>
  readonly queued: ReadonlyMap<string, readonly PoolTransaction[]>
}

/**
 * Valid transactions that no block holds yet, as geth keeps them: pending ones form a gap-free run from their
 * sender's nonce that the sender can pay as a whole, queued ones wait for such a run. All of it is synchronous.
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

  constructor(settings: PoolSettings, { state, head, blobs, now }: PoolDependencies) {
    this.#settings = settings
    this.#state = state
    this.#blobs = blobs
    this.#now = now
    this.#contents = new PoolContents(settings, now)
    this.#queueManager = new QueueManager(this.#contents, settings)
    this.#maintenance = new PoolMaintenance(this.#contents, this.#queueManager, state, (tx, change) =>
      change === 'fork' ? this.#check(tx) : checkBeforeRecovery(tx, this.#head, this.#blobs),
    )
    this.#queueManager.baseFee = head.baseFee
    this.#head = head
    this.events = this.#contents.events
  }

  get head(): PoolHead {
    return this.#head
  }

  /** Another number whenever the content is another. */
  get version(): number {
    return this.#contents.version
  }

  get counts(): { readonly pending: number; readonly queued: number } {
    return { pending: this.#contents.pendingCount, queued: this.#contents.queuedCount }
  }

  /** The checks that need no signature, for a caller that would have to recover it. `add` makes them again. */
  precheck(submission: Submission, isLocal: boolean): Rejection | undefined {
    const rejection = isLocal ? checkLocal(submission.transaction, this.#settings) : undefined
    if (rejection !== undefined) return rejection
    if (this.#contents.get(submission.id)) return reject('alreadyKnown')
    return checkBeforeRecovery(submission, this.#head, this.#blobs)
  }

  /** Takes a transaction, or says why not. */
  add(submission: Submission, signers: Signers, isLocal: boolean): AddResult {
    const rejection = this.precheck(submission, isLocal)
    if (rejection !== undefined) return { rejection }
    const admission = this.#admit(toPoolTransaction(submission, signers, isLocal, this.#arrivals++))
    this.#contents.flushEvents()
    return admission
  }

  /** The rules of the head that need no state. */
  #check(tx: Submission): Rejection | undefined {
    return (
      checkBeforeRecovery(tx, this.#head, this.#blobs) ?? checkAfterRecovery(tx, this.#head, this.#settings)
    )
  }

  /** All checks but that for room, for a caller that has costly ones of its own. `add` makes them again. */
  validate(submission: Submission, signers: Signers, isLocal: boolean): Rejection | undefined {
    const refusal = this.precheck(submission, isLocal)
    if (refusal !== undefined) return refusal
    const transaction = toPoolTransaction(submission, signers, isLocal, this.#arrivals)
    return this.#checkAll(transaction, this.#contents.getOrCreateAccount(signers.sender, this.#state))
  }

  #checkAll(transaction: PoolTransaction, account: PoolAccount): Rejection | undefined {
    return (
      this.#check(transaction) ?? checkState(transaction, account, this.#contents, this.#head, this.#settings)
    )
  }

  #admit(transaction: PoolTransaction): AddResult {
    const account = this.#contents.getOrCreateAccount(transaction.sender, this.#state)
    const rejection =
      this.#checkAll(transaction, account) ?? this.#queueManager.addTransaction(account, transaction)
    return rejection === undefined ? { transaction } : { rejection }
  }

  /** The head's nonce plus the pending run: what the sender's next transaction should have. */
  nextNonce(address: Uint8Array): bigint {
    return this.#contents.accountAt(address)?.next ?? this.#state.nonce(address)
  }

  get(hash: Uint8Array): PoolTransaction | undefined {
    return this.#contents.get(toHex(hash))
  }

  isPending(transaction: PoolTransaction): boolean {
    return this.#contents.get(transaction.id) === transaction && !this.#contents.isQueued(transaction)
  }

  pendingOf(address: Uint8Array): readonly PoolTransaction[] {
    return this.#contents.accountAt(address)?.pending.slice() ?? []
  }

  queuedOf(address: Uint8Array): readonly PoolTransaction[] {
    return this.#contents.accountAt(address)?.queued.slice() ?? []
  }

  content(): PoolContent {
    const pending = new Map<string, readonly PoolTransaction[]>()
    const queued = new Map<string, readonly PoolTransaction[]>()
    for (const account of this.#contents.accounts()) {
      if (account.pending.length > 0) pending.set(account.id, account.pending.slice())
      if (account.queued.length > 0) queued.set(account.id, account.queued.slice())
    }
    return { pending, queued }
  }

  /** All transactions, in the order of arrival. */
  transactions(): Iterable<PoolTransaction> {
    return this.#contents.transactions()
  }

  /** The pending ones for a block, best first. To be read before the pool changes: after that it throws. */
  *select(limits: SelectionLimits): Generator<PoolTransaction, void> {
    const version = this.#contents.version
    for (const transaction of selectTransactions(this.#contents.accounts(), limits)) {
      yield transaction
      if (this.#contents.version !== version) throw new Error('the pool changed during a selection')
    }
  }

  /** Follows the chain to its next head. Costs what `changed` names, unless the rules changed. */
  onHead(head: PoolHead, { included, changed }: PoolHeadUpdate): void {
    const change = findRuleChange(this.#head, head)
    this.#setHead(head)
    const ids = new Set<string>()
    for (const hash of included) ids.add(toHex(hash))
    const accounts =
      changed === undefined || change !== undefined
        ? [...this.#contents.accounts()]
        : this.#accountsAt(changed)
    for (const account of accounts) this.#maintenance.refresh(account, ids, change)
    // Only now: until all that left is gone, a promotion could evict where there will be room.
    for (const account of accounts) this.#queueManager.promote(account)
    this.#queueManager.promoteBlocked()
    this.expire()
  }

  #accountsAt(addresses: Iterable<Uint8Array>): readonly PoolAccount[] {
    const accounts = new Set<PoolAccount>()
    for (const address of addresses) {
      const account = this.#contents.accountAt(address)
      if (account !== undefined) accounts.add(account)
    }
    return [...accounts]
  }

  /**
   * Follows the chain back. The undone transactions are added as if new, and the others are placed again behind them:
   * nothing of a run is lost to the queue's caps while its beginning is missing.
   */
  reset(head: PoolHead, reverted: Iterable<readonly [Submission, Signers]>): void {
    const before = this.#contents.removeAll()
    this.#setHead(head)
    for (const [submission, signers] of reverted) {
      if (this.precheck(submission, false) === undefined)
        this.#admit(toPoolTransaction(submission, signers, false, this.#arrivals++))
    }
    for (const tx of before) {
      const refusal = this.#contents.get(tx.id) === undefined ? this.#admit(tx).rejection : undefined
      if (refusal !== undefined) this.#contents.drop(tx, toDropReason(refusal))
    }
    this.#contents.flushEvents()
  }

  /** Drops what has been queued for too long. For a timer: no head may come for hours. */
  expire(): void {
    const expired = [...this.#contents.queuedBefore(this.#now() - this.#settings.lifetime)]
    for (const tx of expired) {
      const account = this.#contents.accountAt(tx.sender)
      if (account !== undefined) this.#queueManager.dropQueued(account, tx, 'expired')
    }
    this.#contents.flushEvents()
  }

  /** Takes one transaction out; those of its sender behind it are queued. False if it is not here. */
  remove(hash: Uint8Array): boolean {
    const tx = this.get(hash)
    const account = tx && this.#contents.accountAt(tx.sender)
    if (tx === undefined || account === undefined) return false
    if (this.#contents.isQueued(tx)) this.#queueManager.dropQueued(account, tx, 'removed')
    else this.#maintenance.dropPending(account, account.pending.indexOf(tx), 'removed')
    this.#queueManager.promoteBlocked()
    this.#contents.flushEvents()
    return true
  }

  clear(): void {
    for (const account of [...this.#contents.accounts()]) {
      for (const tx of this.#contents.removePending(account, 0)) this.#contents.drop(tx, 'removed')
      for (const tx of [...account.queued]) this.#queueManager.dropQueued(account, tx, 'removed')
      this.#contents.removeIfEmpty(account)
    }
    this.#contents.flushEvents()
  }

  #setHead(head: PoolHead): void {
    this.#head = head
    this.#queueManager.baseFee = head.baseFee
    this.#contents.dropIndexes()
  }
}

const toDropReason = ({ kind }: Rejection): DropReason => {
  if (kind === 'nonceTooLow') return 'stale'
  if (kind === 'insufficientFunds' || kind === 'insufficientFundsForAll') return 'unpayable'
  if (kind === 'underpriced' || kind === 'poolFull' || kind === 'accountLimit') return 'evicted'
  return 'invalid'
}
