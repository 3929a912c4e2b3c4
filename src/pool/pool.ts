import { toHex } from '../base/hex.ts'
import type { Account } from './account.ts'
import { checkAfterSender, checkBeforeSender, checkLocal } from './admission/checks.ts'
import { Placement } from './admission/placement.ts'
import { type Refusal, refuse } from './admission/refusals.ts'
import { checkState } from './admission/stateChecks.ts'
import { toPoolTransaction } from './admission/submission.ts'
import { Book } from './book.ts'
import type { Emitter } from './emitter.ts'
import { type SelectionLimits, selectTransactions } from './order/selection.ts'
import type {
  Admission,
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
import { ruleChange, Upkeep } from './upkeep.ts'

interface PoolDependencies {
  readonly state: PoolState
  readonly head: PoolHead
  readonly blobs: BlobPolicy
  /** Milliseconds that only grow. */
  readonly now: () => number
}

/** What a block, or another move of the head, did to the accounts. */
interface HeadChange {
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
  readonly #book: Book
  readonly #placement: Placement
  readonly #upkeep: Upkeep
  #head: PoolHead
  #arrivals = 0

  constructor(settings: PoolSettings, { state, head, blobs, now }: PoolDependencies) {
    this.#settings = settings
    this.#state = state
    this.#blobs = blobs
    this.#now = now
    this.#book = new Book(settings, now)
    this.#placement = new Placement(this.#book, settings)
    this.#upkeep = new Upkeep(this.#book, this.#placement, state, (tx, change) =>
      change === 'fork' ? this.#check(tx) : checkBeforeSender(tx, this.#head, this.#blobs),
    )
    this.#placement.baseFee = head.baseFee
    this.#head = head
    this.events = this.#book.events
  }

  get head(): PoolHead {
    return this.#head
  }

  /** Another number whenever the content is another. */
  get version(): number {
    return this.#book.version
  }

  get counts(): { readonly pending: number; readonly queued: number } {
    return { pending: this.#book.pendingCount, queued: this.#book.queuedCount }
  }

  /** The checks that need no signature, for a caller that would have to recover it. `add` makes them again. */
  precheck(submission: Submission, isLocal: boolean): Refusal | undefined {
    const refusal = isLocal ? checkLocal(submission.transaction, this.#settings) : undefined
    if (refusal !== undefined) return refusal
    if (this.#book.get(submission.id)) return refuse('alreadyKnown')
    return checkBeforeSender(submission, this.#head, this.#blobs)
  }

  /** Takes a transaction, or says why not. */
  add(submission: Submission, signers: Signers, isLocal: boolean): Admission {
    const refusal = this.precheck(submission, isLocal)
    if (refusal !== undefined) return { refusal }
    const admission = this.#admit(toPoolTransaction(submission, signers, isLocal, this.#arrivals++))
    this.#book.tell()
    return admission
  }

  /** The rules of the head that need no state. */
  #check(tx: Submission): Refusal | undefined {
    return checkBeforeSender(tx, this.#head, this.#blobs) ?? checkAfterSender(tx, this.#head, this.#settings)
  }

  /** All checks but that for room, for a caller that has costly ones of its own. `add` makes them again. */
  examine(submission: Submission, signers: Signers, isLocal: boolean): Refusal | undefined {
    const refusal = this.precheck(submission, isLocal)
    if (refusal !== undefined) return refusal
    const transaction = toPoolTransaction(submission, signers, isLocal, this.#arrivals)
    return this.#checkAll(transaction, this.#book.openAccount(signers.sender, this.#state))
  }

  #checkAll(transaction: PoolTransaction, account: Account): Refusal | undefined {
    return (
      this.#check(transaction) ?? checkState(transaction, account, this.#book, this.#head, this.#settings)
    )
  }

  #admit(transaction: PoolTransaction): Admission {
    const account = this.#book.openAccount(transaction.sender, this.#state)
    const refusal = this.#checkAll(transaction, account) ?? this.#placement.place(account, transaction)
    return refusal === undefined ? { transaction } : { refusal }
  }

  /** The head's nonce plus the pending run: what the sender's next transaction should have. */
  nextNonce(address: Uint8Array): bigint {
    return this.#book.accountAt(address)?.next ?? this.#state.nonce(address)
  }

  get(hash: Uint8Array): PoolTransaction | undefined {
    return this.#book.get(toHex(hash))
  }

  isPending(transaction: PoolTransaction): boolean {
    return this.#book.get(transaction.id) === transaction && !this.#book.isQueued(transaction)
  }

  pendingOf(address: Uint8Array): readonly PoolTransaction[] {
    return this.#book.accountAt(address)?.pending.slice() ?? []
  }

  queuedOf(address: Uint8Array): readonly PoolTransaction[] {
    return this.#book.accountAt(address)?.queued.slice() ?? []
  }

  content(): PoolContent {
    const pending = new Map<string, readonly PoolTransaction[]>()
    const queued = new Map<string, readonly PoolTransaction[]>()
    for (const account of this.#book.accounts()) {
      if (account.pending.length > 0) pending.set(account.id, account.pending.slice())
      if (account.queued.length > 0) queued.set(account.id, account.queued.slice())
    }
    return { pending, queued }
  }

  /** All transactions, in the order of arrival. */
  transactions(): Iterable<PoolTransaction> {
    return this.#book.transactions()
  }

  /** The pending ones for a block, best first. To be read before the pool changes: after that it throws. */
  *select(limits: SelectionLimits): Generator<PoolTransaction, void> {
    const version = this.#book.version
    for (const transaction of selectTransactions(this.#book.accounts(), limits)) {
      yield transaction
      if (this.#book.version !== version) throw new Error('the pool changed during a selection')
    }
  }

  /** Follows the chain to its next head. Costs what `changed` names, unless the rules changed. */
  onHead(head: PoolHead, { included, changed }: HeadChange): void {
    const change = ruleChange(this.#head, head)
    this.#setHead(head)
    const ids = new Set<string>()
    for (const hash of included) ids.add(toHex(hash))
    const accounts =
      changed === undefined || change !== undefined ? [...this.#book.accounts()] : this.#among(changed)
    for (const account of accounts) this.#upkeep.refresh(account, ids, change)
    // Only now: until all that left is gone, a promotion could evict where there will be room.
    for (const account of accounts) this.#placement.promote(account)
    this.#placement.promoteBlocked()
    this.expire()
  }

  #among(addresses: Iterable<Uint8Array>): readonly Account[] {
    const accounts = new Set<Account>()
    for (const address of addresses) {
      const account = this.#book.accountAt(address)
      if (account !== undefined) accounts.add(account)
    }
    return [...accounts]
  }

  /**
   * Follows the chain back. The undone transactions are added as if new, and the others are placed again behind them:
   * nothing of a run is lost to the queue's caps while its beginning is missing.
   */
  reset(head: PoolHead, undone: Iterable<readonly [Submission, Signers]>): void {
    const before = this.#book.empty()
    this.#setHead(head)
    for (const [submission, signers] of undone) {
      if (this.precheck(submission, false) === undefined)
        this.#admit(toPoolTransaction(submission, signers, false, this.#arrivals++))
    }
    for (const tx of before) {
      const refusal = this.#book.get(tx.id) === undefined ? this.#admit(tx).refusal : undefined
      if (refusal !== undefined) this.#book.forget(tx, dropReasonOf(refusal))
    }
    this.#book.tell()
  }

  /** Drops what has been queued for too long. For a timer: no head may come for hours. */
  expire(): void {
    const expired = [...this.#book.queuedBefore(this.#now() - this.#settings.lifetime)]
    for (const tx of expired) {
      const account = this.#book.accountAt(tx.sender)
      if (account !== undefined) this.#placement.dropQueued(account, tx, 'expired')
    }
    this.#book.tell()
  }

  /** Takes one transaction out; those of its sender behind it are queued. False if it is not here. */
  remove(hash: Uint8Array): boolean {
    const tx = this.get(hash)
    const account = tx && this.#book.accountAt(tx.sender)
    if (tx === undefined || account === undefined) return false
    if (this.#book.isQueued(tx)) this.#placement.dropQueued(account, tx, 'removed')
    else this.#upkeep.cut(account, account.pending.indexOf(tx), 'removed')
    this.#placement.promoteBlocked()
    this.#book.tell()
    return true
  }

  clear(): void {
    for (const account of [...this.#book.accounts()]) {
      for (const tx of this.#book.takePending(account, 0)) this.#book.forget(tx, 'removed')
      for (const tx of [...account.queued]) this.#placement.dropQueued(account, tx, 'removed')
      this.#book.release(account)
    }
    this.#book.tell()
  }

  #setHead(head: PoolHead): void {
    this.#head = head
    this.#placement.baseFee = head.baseFee
    this.#book.dropIndexes()
  }
}

const dropReasonOf = ({ kind }: Refusal): DropReason => {
  if (kind === 'nonceTooLow') return 'stale'
  if (kind === 'insufficientFunds' || kind === 'insufficientFundsForAll') return 'unpayable'
  if (kind === 'underpriced' || kind === 'poolFull' || kind === 'accountLimit') return 'evicted'
  return 'invalid'
}
