import { isImpersonated } from '../chain/transaction/impersonation.ts'
import type { PoolAccount } from './account.ts'
import type { QueueManager } from './admission/queueManager.ts'
import { isLasting, type Rejection } from './admission/rejections.ts'
import type { PoolContents } from './poolContents.ts'
import type { DropReason, PoolHead, PoolState, PoolTransaction } from './types.ts'

/** The change of rules against which all transactions must be checked again, whichever accounts changed. */
type RuleChange = 'fork' | 'limits' | undefined

export const findRuleChange = (before: PoolHead, after: PoolHead): RuleChange => {
  if (after.fork !== before.fork) return 'fork'
  return after.gasLimit < before.gasLimit || after.maxBlobs < before.maxBlobs ? 'limits' : undefined
}

/** Drops the transactions that a new head makes invalid. */
export class PoolMaintenance {
  readonly #contents: PoolContents
  readonly #queueManager: QueueManager
  readonly #state: PoolState
  readonly #check: (tx: PoolTransaction, change: RuleChange) => Rejection | undefined

  constructor(
    contents: PoolContents,
    queueManager: QueueManager,
    state: PoolState,
    check: (tx: PoolTransaction, change: RuleChange) => Rejection | undefined,
  ) {
    this.#contents = contents
    this.#queueManager = queueManager
    this.#state = state
    this.#check = check
  }

  /** Updates the account to the new head. Nothing is promoted yet. */
  refresh(account: PoolAccount, included: ReadonlySet<string>, change: RuleChange): void {
    const contents = this.#contents
    const dropUsed = (tx: PoolTransaction) => contents.letGo(tx, included.has(tx.id) ? 'included' : 'stale')
    const nonceBefore = account.nonce
    account.loadState(this.#state)
    const hasMovedBack = account.nonce < nonceBefore
    const used = hasMovedBack ? account.pending.length : Number(account.nonce - nonceBefore)
    const taken = used > 0 ? contents.removePending(account, 0, used) : []
    if (hasMovedBack) this.#queueManager.demote(account, taken)
    else taken.forEach(dropUsed)
    for (const tx of [...account.queued]) {
      if (tx.transaction.nonce < account.nonce) {
        contents.removeQueued(account, tx)
        dropUsed(tx)
        continue
      }
      const reason = this.#findDropReason(account, tx, tx.cost, change)
      if (reason !== undefined) this.#queueManager.dropQueued(account, tx, reason)
    }
    for (const tx of [...contents.parked.of(account.id)]) {
      if (tx.transaction.nonce < account.nonce) dropUsed(tx)
      else if (this.#findDropReason(account, tx, 0n, change) === 'invalid') contents.letGo(tx, 'invalid')
    }
    if (change !== undefined || account.pendingCost > account.balance || account.codeKind === 'contract')
      this.#refreshPending(account, change)
    contents.removeIfEmpty(account)
  }

  /** Drops one pending transaction; later ones of its sender are queued if they can ever be executed. */
  dropPending(account: PoolAccount, index: number, reason: DropReason, change?: RuleChange): void {
    const [tx, ...behind] = this.#contents.removePending(account, index)
    if (tx !== undefined) this.#contents.letGo(tx, reason)
    const fit = behind.filter((other) => {
      const why = this.#findDropReason(account, other, other.cost, change)
      if (why !== undefined) this.#contents.letGo(other, why)
      return why === undefined
    })
    this.#queueManager.demote(account, fit)
    this.#contents.removeIfEmpty(account)
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
    if (account.codeKind === 'contract' && !isImpersonated(tx.transaction)) return 'invalid'
    if (cost > account.balance) return 'unpayable'
    const rejection = change === undefined ? undefined : this.#check(tx, change)
    if (rejection === undefined) return undefined
    // The gas limit of blocks may rise again.
    return tx.isLocal && !isLasting(rejection) ? 'evicted' : 'invalid'
  }
}
