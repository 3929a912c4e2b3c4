import type { Account } from './account.ts'
import type { Placement } from './admission/placement.ts'
import type { Refusal } from './admission/refusals.ts'
import type { Book } from './book.ts'
import type { DropReason, PoolHead, PoolState, PoolTransaction } from './types.ts'

/** What all transactions must be measured against again, whoever's account changed. */
type RuleChange = 'fork' | 'gasLimit' | undefined

export const ruleChange = (before: PoolHead, after: PoolHead): RuleChange => {
  if (after.fork !== before.fork) return 'fork'
  return after.gasLimit < before.gasLimit ? 'gasLimit' : undefined
}

/** Lets go of what a new head leaves no future to. */
export class Upkeep {
  readonly #book: Book
  readonly #placement: Placement
  readonly #state: PoolState
  readonly #check: (tx: PoolTransaction, change: RuleChange) => Refusal | undefined

  constructor(
    book: Book,
    placement: Placement,
    state: PoolState,
    check: (tx: PoolTransaction, change: RuleChange) => Refusal | undefined,
  ) {
    this.#book = book
    this.#placement = placement
    this.#state = state
    this.#check = check
  }

  /** Reads the account at the new head. Nothing is promoted yet. */
  refresh(account: Account, included: ReadonlySet<string>, change: RuleChange): void {
    const book = this.#book
    const forgetUsed = (tx: PoolTransaction) => book.forget(tx, included.has(tx.id) ? 'included' : 'stale')
    const nonceBefore = account.nonce
    account.read(this.#state)
    const hasMovedBack = account.nonce < nonceBefore
    const used = hasMovedBack ? account.pending.length : Number(account.nonce - nonceBefore)
    const taken = used > 0 ? book.takePending(account, 0, used) : []
    if (hasMovedBack) this.#placement.demote(account, taken)
    else taken.forEach(forgetUsed)
    for (const tx of [...account.queued]) {
      if (tx.transaction.nonce < account.nonce) {
        book.takeQueued(account, tx)
        forgetUsed(tx)
        continue
      }
      const reason = this.#unfit(account, tx, tx.cost, change)
      if (reason !== undefined) this.#placement.dropQueued(account, tx, reason)
    }
    if (change !== undefined || account.pendingCost > account.balance || account.codeKind === 'contract')
      this.#refreshPending(account, change)
    book.release(account)
  }

  /** Drops one pending transaction; those behind it are queued as far as they can ever run. */
  cut(account: Account, index: number, reason: DropReason, change?: RuleChange): void {
    const [tx, ...behind] = this.#book.takePending(account, index)
    if (tx !== undefined) this.#book.forget(tx, reason)
    const fit = behind.filter((other) => {
      const why = this.#unfit(account, other, other.cost, change)
      if (why !== undefined) this.#book.forget(other, why)
      return why === undefined
    })
    this.#placement.demote(account, fit)
    this.#book.release(account)
  }

  #refreshPending(account: Account, change: RuleChange): void {
    let total = 0n
    for (let index = 0; index < account.pending.length; index++) {
      const tx = account.pending[index] as PoolTransaction
      total += tx.cost
      const reason = this.#unfit(account, tx, total, change)
      if (reason !== undefined) return this.cut(account, index, reason, change)
    }
  }

  #unfit(account: Account, tx: PoolTransaction, cost: bigint, change: RuleChange): DropReason | undefined {
    if (account.codeKind === 'contract') return 'invalid'
    if (cost > account.balance) return 'unpayable'
    return change !== undefined && this.#check(tx, change) !== undefined ? 'invalid' : undefined
  }
}
