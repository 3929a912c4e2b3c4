import { transferGas } from '../../chain/transaction/intrinsicGas.ts'
import type { RecoveredTransaction } from '../../chain/transaction/transaction.ts'
import { leastGas } from '../../chain/transaction/transactionRules.ts'
import type { ProposalRules } from './rules.ts'

/** What a proposer expects of its candidates. It may be wrong: no rule depends on it. */
export interface LikelyUse<Candidate> {
  /** Returns the gas that a candidate is likely to use. */
  of(candidate: Candidate): bigint
  /** Checks whether a candidate may be proposed although it may find no room. */
  mayTry(candidate: Candidate): boolean
}

/**
 * The gas that a block is likely to have left behind the transactions that were proposed so far. A transaction finds room
 * if its gas limit is not above what the block has left when it is executed.
 */
export class LikelyRoom<Candidate extends Pick<RecoveredTransaction, 'transaction'>> {
  readonly #rules: Pick<ProposalRules, 'gasLimit' | 'fork'>
  readonly #likelyUse: LikelyUse<Candidate>
  /** What is left if each transaction uses all that its limit allows, and if each uses what is likely. */
  #sure: bigint
  #likely: bigint

  constructor(rules: Pick<ProposalRules, 'gasLimit' | 'fork'>, likelyUse: LikelyUse<Candidate>) {
    this.#rules = rules
    this.#likelyUse = likelyUse
    this.#sure = rules.gasLimit
    this.#likely = rules.gasLimit
  }

  get isFull(): boolean {
    return this.#likely < transferGas
  }

  has(candidate: Candidate): boolean {
    const { gasLimit } = candidate.transaction
    return gasLimit <= this.#sure || (gasLimit <= this.#likely && this.#likelyUse.mayTry(candidate))
  }

  take(candidate: Candidate): void {
    const { transaction } = candidate
    const { gasLimit } = transaction
    const least = leastGas(transaction, this.#rules.fork)
    const likely = this.#likelyUse.of(candidate)
    this.#sure -= gasLimit
    this.#likely -= likely < least ? least : likely > gasLimit ? gasLimit : likely
  }
}
