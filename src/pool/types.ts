import type { Fork } from '../chain/config/forks.ts'
import type { BlobSidecar, Transaction } from '../chain/transaction/types.ts'
import type { Refusal } from './admission/refusals.ts'

/** The head's state, as far as the pool reads it. Reads are synchronous, and cached until the head changes. */
export interface PoolState {
  nonce(address: Uint8Array): bigint
  balance(address: Uint8Array): bigint
  /** `delegation`: code that names another account's (EIP-7702). */
  codeKind(address: Uint8Array): 'none' | 'delegation' | 'contract'
}

/** The head, and the rules and prices of the block after it. */
export interface PoolHead {
  readonly number: bigint
  readonly time: bigint
  readonly gasLimit: bigint
  /** Zero before London. */
  readonly baseFee: bigint
  /** Zero before Cancun. */
  readonly blobBaseFee: bigint
  readonly fork: Fork
  readonly chainId: bigint
}

/** A transaction as it was submitted, before its sender is known. */
export interface Submission {
  readonly transaction: Transaction
  readonly sidecar: BlobSidecar | undefined
  /** The canonical form, as in a block. */
  readonly raw: Uint8Array
  readonly hash: Uint8Array
  /** `hash` as DATA. */
  readonly id: string
  /** Bytes held, the sidecar included. */
  readonly size: number
}

/** What signatures say: who sent the transaction, and for whom its authorizations speak. */
export interface Signers {
  readonly sender: Uint8Array
  readonly authorities: readonly Uint8Array[]
}

/** A transaction in the pool. */
export interface PoolTransaction extends Submission {
  readonly sender: Uint8Array
  /** DATA of the addresses that its authorizations speak for, each once. */
  readonly authorities: readonly string[]
  /** `gasPrice` or `maxFeePerGas`. */
  readonly feeCap: bigint
  /** `gasPrice` or `maxPriorityFeePerGas`. */
  readonly tipCap: bigint
  /** The most that it can take from its sender. */
  readonly cost: bigint
  /** The part of the pool's capacity that it takes, by its size. */
  readonly slots: number
  /** Submitted to this node by its own users: kept in the journal. */
  readonly isLocal: boolean
  /** Counts up with every transaction that was taken. */
  readonly arrival: number
}

export type DropReason =
  | 'included' // in a block
  | 'stale' // another transaction used its nonce
  | 'replaced' // by one that pays more for the same nonce
  | 'unpayable' // its sender cannot pay it any more, on top of those before it
  | 'invalid' // over the block's gas limit, or against the rules of a new fork
  | 'evicted' // for one that pays more, or by a cap
  | 'expired' // waited too long for those before it
  | 'removed' // by the operator

export interface PoolEvents {
  /** The transaction can run in the next block, as far as nonces and funds go. */
  pending: PoolTransaction
  dropped: { readonly transaction: PoolTransaction; readonly reason: DropReason }
}

export type Admission =
  | { readonly transaction: PoolTransaction; readonly refusal?: undefined }
  | { readonly refusal: Refusal; readonly transaction?: undefined }

/** Where blobs are accepted, their proofs are verified before they come to the pool. */
export type BlobPolicy = { readonly accepted: true } | { readonly accepted: false; readonly refusal: string }

export interface PoolSettings {
  /** Pending transactions that an account keeps when the pool is full, as long as others do not pay more. */
  readonly accountSlots: number
  /** Queued transactions an account may have. */
  readonly accountQueue: number
  /** Capacity for pending transactions, in slots of 32 KiB; a transaction takes at least one. */
  readonly globalSlots: number
  /** Capacity for queued transactions, in the same slots. */
  readonly globalQueue: number
  /** Per cent that a replacement must add to both fees. */
  readonly priceBump: bigint
  /** The same for blob transactions, and their third fee. */
  readonly blobPriceBump: bigint
  /** How long a transaction may be queued, in milliseconds. */
  readonly lifetime: number
  /** Wei a gas, compared with `gasPrice` or `maxFeePerGas`. */
  readonly minimumGasPrice: bigint
  /** The most that a local transaction may offer for its gas, in wei; zero for no limit. */
  readonly feeCap: bigint
  /** Refuse what cannot pay the next block's base fee, where geth waits for the fee to fall. */
  readonly refuseBelowBaseFee: boolean
  /** Take local transactions that are signed for no chain in particular (before EIP-155). */
  readonly allowUnprotected: boolean
}

export const defaultPoolSettings: PoolSettings = {
  accountSlots: 16,
  accountQueue: 64,
  globalSlots: 5_120,
  globalQueue: 1_024,
  priceBump: 10n,
  blobPriceBump: 100n,
  lifetime: 3 * 60 * 60 * 1_000,
  minimumGasPrice: 0n,
  feeCap: 10n ** 18n,
  refuseBelowBaseFee: false,
  allowUnprotected: false,
}
