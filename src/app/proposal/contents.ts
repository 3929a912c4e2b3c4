import { toHex } from '../../base/encoding/hex.ts'
import { transferGas } from '../../chain/transaction/intrinsicGas.ts'
import type { RecoveredTransaction } from '../../chain/transaction/transaction.ts'
import { leastGas } from '../../chain/transaction/transactionRules.ts'
import { checkRules } from './nativeBlock.ts'
import { maxBlockTransactionBytes, maxLimitsPerGas, type ProposalRules } from './rules.ts'

/** Why a proposal may not hold a transaction. */
export interface ContentRejection {
  /** `full` is about this proposal alone: the transaction may be in the next one. */
  readonly kind: 'forbidden' | 'repeated' | 'full'
  readonly message: string
}

/**
 * Decides, transaction by transaction, what a proposal may hold. Whoever makes a proposal and whoever votes on it ask
 * this one class with the rules of that block, so that no honest proposal is rejected.
 *
 * With `fullBlocks` the least gas of all transactions together is within the block's gas. So a proposal has no more
 * transactions and no more bytes than one whose gas limits are within it, whether or not they find room.
 */
export class ProposalContents {
  readonly #rules: ProposalRules
  readonly #hashes = new Set<string>()
  #limits = 0n
  #least = 0n
  #rawBytes = 0

  constructor(rules: ProposalRules) {
    this.#rules = rules
  }

  /** Whether no further transaction has the gas that it needs. */
  get isFull(): boolean {
    const { gasLimit, fullBlocks } = this.#rules
    return gasLimit - (fullBlocks ? this.#least : this.#limits) < transferGas
  }

  /** Adds a transaction. Returns the reason if the proposal may not hold it, and is unchanged then. */
  add({
    transaction,
    raw,
    hash,
  }: Pick<RecoveredTransaction, 'transaction' | 'raw' | 'hash'>): ContentRejection | undefined {
    const { gasLimit, fullBlocks, fork } = this.#rules
    const forbidden = checkRules(transaction, this.#rules)
    if (forbidden !== undefined) return { kind: 'forbidden', message: forbidden.message }
    const id = toHex(hash)
    if (this.#hashes.has(id)) return { kind: 'repeated', message: 'comes twice' }
    const limits = this.#limits + transaction.gasLimit
    const least = fullBlocks ? this.#least + leastGas(transaction, fork) : 0n
    const isOver = fullBlocks
      ? transaction.gasLimit > gasLimit || least > gasLimit || limits > gasLimit * maxLimitsPerGas
      : limits > gasLimit
    if (isOver) return { kind: 'full', message: `gas of the block over ${gasLimit}` }
    if (this.#rawBytes + raw.length > maxBlockTransactionBytes)
      return { kind: 'full', message: `transactions over ${maxBlockTransactionBytes} bytes` }
    this.#hashes.add(id)
    this.#limits = limits
    this.#least = least
    this.#rawBytes += raw.length
    return undefined
  }
}
