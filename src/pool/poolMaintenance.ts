import type { PoolAccount } from './account.ts'
import type { QueueManager } from './admission/queueManager.ts'
import type { Rejection } from './admission/rejections.ts'
import type { PoolContents } from './poolContents.ts'
import type { DropReason, PoolHead, PoolState, PoolTransaction } from './types.ts'

/** What all transactions must be measured against again, whoever's account changed. */
type RuleChange = 'fork' | 'gasLimit' | undefined

export const findRuleChange = (before: PoolHead, after: PoolHead): RuleChange => {
  if (after.fork !== before.fork) return 'fork'
  return after.gasLimit < before.gasLimit ? 'gasLimit' : undefined
}

/** Lets go of what a new head leaves no future to. */
export class PoolMaintenance {
  readonly #book: PoolContents
  readonly #placement: QueueManager
  readonly #state: PoolState
  readonly #check: (tx: PoolTransaction, change: RuleChange) => Rejection | undefined

  constructor(
    book: PoolContents,
    queueManager: QueueManager,
    state: PoolState,
    check: (tx: PoolTransaction, change: RuleChange) => Rejection | undefined,
  ) {
    this.#book = book
    this.#placement = queueManager
    this.#state = state
    this.#check = check
  }

  /** Reads the account at the new head. Nothing is promoted yet. */
  refresh(account: PoolAccount, included: ReadonlySet<string>, change: RuleChange): void {
    const book = this.#book
    const forgetUsed = (tx: PoolTransaction) => book.drop(tx, included.has(tx.id) ? 'included' : 'stale')
    const nonceBefore = account.nonce
    account.loadState(this.#state)
    const hasMovedBack = account.nonce < nonceBefore
    const used = hasMovedBack ? account.pending.length : Number(account.nonce - nonceBefore)
    const taken = used > 0 ? book.removePending(account, 0, used) : []
    if (hasMovedBack) this.#placement.demote(account, taken)
    else taken.forEach(forgetUsed)
    for (const tx of [...account.queued]) {
      if (tx.transaction.nonce < account.nonce) {
        book.removeQueued(account, tx)
        forgetUsed(tx)
        continue
      }
      const reason = this.#findDropReason(account, tx, tx.cost, change)
      if (reason !== undefined) this.#placement.dropQueued(account, tx, reason)
    }
    if (change !== undefined || account.pendingCost > account.balance || account.codeKind === 'contract')
      this.#refreshPending(account, change)
    book.removeIfEmpty(account)
  }

  /** Drops one pending transaction; those behind it are queued as far as they can ever run. */
  dropPending(account: PoolAccount, index: number, reason: DropReason, change?: RuleChange): void {
    const [tx, ...behind] = this.#book.removePending(account, index)
    if (tx !== undefined) this.#book.drop(tx, reason)
    const fit = behind.filter((other) => {
      const why = this.#findDropReason(account, other, other.cost, change)
      if (why !== undefined) this.#book.drop(other, why)
      return why === undefined
    })
    this.#placement.demote(account, fit)
    this.#book.removeIfEmpty(account)
  }

  #refreshPending(account: PoolAccount, change: RuleChange): void {
    let total = 0n
    for (let index = 0; index < account.pending.length; index++) {
      const tx = account.pending[index] as PoolTransaction
      total += tx.cost
      const reason = this.#findDropReason(account, tx, total, change)
      if (reason !== undefined) return this.dropPending(account, index, reason, change)
    }
  }

  #findDropReason(
    account: PoolAccount,
    tx: PoolTransaction,
    cost: bigint,
    change: RuleChange,
  ): DropReason | undefined {
    if (account.codeKind === 'contract') return 'invalid'
    if (cost > account.balance) return 'unpayable'
    return change !== undefined && this.#check(tx, change) !== undefined ? 'invalid' : undefined
  }
}
