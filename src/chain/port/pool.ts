import type { MaybePromise } from '../../base/maybePromise.ts'
import type { Transaction } from '../transaction/types.ts'
import type { TransactionLocation } from './location.ts'

/** The transactions that no block holds yet. */
export interface Pool {
  /**
   * Takes a signed transaction. Resolves with its hash once the pool took it; where every transaction gets a block of
   * its own, once that block is there. Throws a `ChainError` of kind `refused` in geth's wording.
   */
  submit(raw: Uint8Array): Promise<Uint8Array>
  get(hash: Uint8Array): PoolTransaction | undefined
  /** Returns the sender's nonce after everything of it that can be executed. */
  nextNonce(sender: Uint8Array): MaybePromise<bigint>
  /** Returns everything; keys are addresses as lower-case DATA. */
  content(): { readonly pending: TransactionsBySender; readonly queued: TransactionsBySender }
  /** Returns what is there of one sender, in the order of its nonces. */
  contentOf(sender: Uint8Array): {
    readonly pending: readonly PoolTransaction[]
    readonly queued: readonly PoolTransaction[]
  }
  counts(): { readonly pending: number; readonly queued: number }
  /** Resolves when the transaction is in a block, with undefined when the time is up first. */
  waitFor(hash: Uint8Array, signal: AbortSignal): Promise<TransactionLocation | undefined>
}

export interface PoolTransaction {
  readonly hash: Uint8Array
  readonly sender: Uint8Array
  readonly raw: Uint8Array
  readonly transaction: Transaction
}

/** The transactions of each sender in the order of their nonces. */
export type TransactionsBySender = ReadonlyMap<string, readonly PoolTransaction[]>
