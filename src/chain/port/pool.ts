import type { MaybePromise } from '../../base/async/maybePromise.ts'
import type { RecoveredTransaction } from '../transaction/transaction.ts'
import type { TransactionLocation } from './location.ts'

/** A transaction that was sent here and that the pool rejected. */
export interface RejectedSend {
  /** The bytes that were sent; they may be no transaction. */
  readonly raw: Uint8Array
  readonly reason: string
}

/** The transactions that are in no block yet. */
export interface Pool {
  /** Whose transactions are first in a block: of who pays most, or who came first; undefined where others decide that. */
  readonly order?: 'fees' | 'fifo'
  /**
   * Submits a signed transaction. Resolves with its hash when the pool has added it. Throws a `ChainError` of kind
   * `refused` in geth's wording. On a dev chain it may be a transaction that states its sender instead of having a signature.
   */
  submit(raw: Uint8Array, options?: { readonly isImpersonated: boolean }): Promise<Uint8Array>
  /**
   * With instant sealing, resolves when the block of a submitted transaction is committed, as long as the next block
   * may hold it; otherwise at once.
   */
  waitForSeal(hash: Uint8Array): Promise<void>
  get(hash: Uint8Array): PoolTransaction | undefined
  /** Learns what other processes in front of the same chain have taken until now; undefined where there are none. */
  catchUp?(): Promise<void>
  /** Returns the nonce after the sender's pending transactions. */
  nextNonce(sender: Uint8Array): MaybePromise<bigint>
  /** Returns all transactions of the pool, by address as lower-case DATA. */
  content(): { readonly pending: TransactionsBySender; readonly queued: TransactionsBySender }
  /** Returns the pooled transactions of one sender, by nonce. */
  contentOf(sender: Uint8Array): {
    readonly pending: readonly PoolTransaction[]
    readonly queued: readonly PoolTransaction[]
  }
  counts(): { readonly pending: number; readonly queued: number }
  /**
   * Resolves with the location of the transaction when it is in a block, or with undefined when the signal
   * aborts first.
   */
  waitFor(hash: Uint8Array, signal: AbortSignal): Promise<TransactionLocation | undefined>
  /** Removes all transactions; undefined where they cannot be reverted. */
  clear?(): void
  /** Returns the transactions that were acknowledged and that the chain rejects; undefined where others do not decide that. */
  refusals?(): readonly RefusedTransaction[]
}

/** A transaction that was acknowledged here, and that the chain behind this process rejects. */
export interface RefusedTransaction {
  readonly hash: Uint8Array
  readonly sender: Uint8Array
  readonly nonce: bigint
  readonly reason: string
  /** Whether it has left the pool; until then it is sent again. */
  readonly isGivenUp: boolean
}

export type PoolTransaction = RecoveredTransaction

/** The transactions of each sender, by nonce. */
export type TransactionsBySender = ReadonlyMap<string, readonly PoolTransaction[]>
