import { toHex } from '../../base/encoding/hex.ts'
import type { RecoveredTransaction } from '../../chain/transaction/transaction.ts'
import { checkRules } from './nativeBlock.ts'
import { maxBlockTransactionBytes, type ProposalRules } from './rules.ts'

/** Why a proposal may not hold a transaction. */
export interface ContentRejection {
  /** `full` is about this proposal alone: the transaction may be in the next one. */
  readonly kind: 'forbidden' | 'repeated' | 'full'
  readonly message: string
}

/**
 * Decides, transaction by transaction, what a proposal may hold. Whoever makes a proposal and whoever votes on it ask
 * this one class with the rules of that block, so that no honest proposal is refused.
 */
export class ProposalContents {
  readonly #rules: ProposalRules
  readonly #hashes = new Set<string>()
  #gas = 0n
  #rawBytes = 0

  constructor(rules: ProposalRules) {
    this.#rules = rules
  }

  /** The gas that is left for further transactions. */
  get gasLeft(): bigint {
    return this.#rules.gasLimit - this.#gas
  }

  /** Adds a transaction. Returns the reason if the proposal may not hold it, and is unchanged then. */
  add({
    transaction,
    raw,
    hash,
  }: Pick<RecoveredTransaction, 'transaction' | 'raw' | 'hash'>): ContentRejection | undefined {
    const forbidden = checkRules(transaction, this.#rules)
    if (forbidden !== undefined) return { kind: 'forbidden', message: forbidden.message }
    const id = toHex(hash)
    if (this.#hashes.has(id)) return { kind: 'repeated', message: 'comes twice' }
    if (transaction.gasLimit > this.gasLeft)
      return { kind: 'full', message: `gas of the block over ${this.#rules.gasLimit}` }
    if (this.#rawBytes + raw.length > maxBlockTransactionBytes)
      return { kind: 'full', message: `transactions over ${maxBlockTransactionBytes} bytes` }
    this.#hashes.add(id)
    this.#gas += transaction.gasLimit
    this.#rawBytes += raw.length
    return undefined
  }
}
