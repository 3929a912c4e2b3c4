import type { Fork } from '../chain/config/forks.ts'
import type { ChainLimits } from '../chain/config/limits.ts'
import type { BlobSidecar, Transaction } from '../chain/transaction/transaction.ts'
import type { Rejection } from './admission/rejections.ts'

/**
 * The part of the head's state that the pool reads. Reads are synchronous, and cached until the head changes.
 */
export interface PoolState {
  nonce(address: Uint8Array): bigint
  balance(address: Uint8Array): bigint
  /** Returns the kind of code; `delegation` is code that names another account (EIP-7702). */
  codeKind(address: Uint8Array): 'none' | 'delegation' | 'contract'
}

/** The head, and the rules and prices of the block after it. */
export interface PoolHead {
  readonly number: bigint
  readonly time: bigint
  readonly gasLimit: bigint
  /** The base fee; zero before London. */
  readonly baseFee: bigint
  /** The blob base fee; zero before Cancun. */
  readonly blobBaseFee: bigint
  /** The blobs that a block may have; zero before Cancun. */
  readonly maxBlobs: number
  readonly fork: Fork
  readonly chainId: bigint
  readonly limits: ChainLimits
  /**
   * Returns the same head with other rules, once the time of a fork has passed since this one was made; undefined
   * while nothing has changed. Missing if no fork is scheduled.
   */
  readonly renew?: (() => PoolHead | undefined) | undefined
}

/** A transaction as it was submitted, before its sender is known. */
export interface Submission {
  readonly transaction: Transaction
  readonly sidecar: BlobSidecar | undefined
  /** The canonical bytes, as in a block. */
  readonly raw: Uint8Array
  readonly hash: Uint8Array
  /** The hash as DATA. */
  readonly id: string
  /** The number of bytes, including the sidecar. */
  readonly size: number
}

/** The recovered addresses: the sender, and the authorities of the authorizations. */
export interface Signers {
  readonly sender: Uint8Array
  readonly authorities: readonly Uint8Array[]
}

/** A transaction in the pool. */
export interface PoolTransaction extends Submission {
  readonly sender: Uint8Array
  /** The authorities of its authorizations as DATA, each once. */
  readonly authorities: readonly string[]
  /** `gasPrice` or `maxFeePerGas`. */
  readonly feeCap: bigint
  /** `gasPrice` or `maxPriorityFeePerGas`. */
  readonly tipCap: bigint
  /** The most that the sender may have to pay. */
  readonly cost: bigint
  /** The slots of the pool's capacity that it uses, by its size. */
  readonly slots: number
  /** Whether it was submitted to this process, and so is kept in the journal. One of others may be submitted here too. */
  isLocal: boolean
  /** The fork by whose rules its content was found valid; only another one changes that. */
  validUnder: Fork | undefined
  /** A number that increases with every added transaction. */
  readonly arrival: number
}

export type DropReason = (typeof dropReasons)[number]

export const dropReasons = [
  'included', // in a block
  'stale', // another transaction used its nonce
  'replaced', // by one that pays more for the same nonce
  'unpayable', // its sender cannot pay it any more, on top of those before it
  'invalid', // over the block's gas limit, or against the rules of a new fork
  'evicted', // for one that pays more, or by a cap
  'expired', // waited too long, for those before it or for a block
  'removed', // by the operator
] as const

export interface PoolEvents {
  /** The transaction can be executed in the next block, as far as nonces and funds go. */
  pending: PoolTransaction
  dropped: { readonly transaction: PoolTransaction; readonly reason: DropReason }
  /** An acknowledged transaction left the pending or queued ones. It is still known, and comes back when it can. */
  parked: PoolTransaction
  /** A transaction of others replaced an acknowledged one, and is kept like it. */
  kept: PoolTransaction
  /** The pool follows this head now: what is pending, and what it would have to pay, may be other than before. */
  head: PoolHead
}

export type AddResult =
  | { readonly transaction: PoolTransaction; readonly rejection?: undefined }
  | { readonly rejection: Rejection; readonly transaction?: undefined }

/**
 * Whether the pool accepts blobs, and if not, the text of the rejection. The proofs of accepted blobs are
 * verified before they are added.
 */
export type BlobPolicy =
  | { readonly accepted: true }
  | { readonly accepted: false; readonly rejection: string }

export interface PoolSettings {
  /** The pending transactions that an account keeps when the pool is full, unless others pay more. */
  readonly accountSlots: number
  /** The number of queued transactions that an account may have. */
  readonly accountQueue: number
  /** The capacity for pending transactions, in slots of 32 KiB; a transaction uses at least one. */
  readonly globalSlots: number
  /** The capacity for queued transactions, in the same slots. */
  readonly globalQueue: number
  /**
   * The bytes of acknowledged transactions that may be parked. Above it only what the next block could hold is taken from
   * clients, above twice as many nothing.
   */
  readonly parkedBytes: number
  /** Whether acknowledged transactions that their sender cannot pay any more are parked, and not dropped. */
  readonly keepsUnpayable: boolean
  /** The percentage that a replacement must add to both fees. */
  readonly priceBump: bigint
  /** The percentage for blob transactions, also for their third fee. */
  readonly blobPriceBump: bigint
  /** How long a transaction may be queued, in milliseconds. */
  readonly lifetime: number
  /** How long a transaction may be in the pool, in milliseconds. */
  readonly pendingLifetime: number
  /** The least gas price in wei, compared with `gasPrice` or `maxFeePerGas`. */
  readonly minimumGasPrice: bigint
  /** The most that a local transaction may offer for its gas, in wei; zero for no limit. */
  readonly feeCap: bigint
  /**
   * Whether transactions that cannot pay the next block's base fee are rejected; geth queues them until the
   * fee falls.
   */
  readonly rejectBelowBaseFee: boolean
  /** Whether local transactions without a chain id (before EIP-155) are accepted. */
  readonly allowUnprotected: boolean
  /** The order of transactions of different senders in a block: by tip, or by arrival. */
  readonly order: 'fees' | 'fifo'
}

export const defaultPoolSettings: PoolSettings = {
  accountSlots: 16,
  accountQueue: 64,
  globalSlots: 5_120,
  globalQueue: 1_024,
  parkedBytes: 64 * 1024 * 1024,
  keepsUnpayable: true,
  priceBump: 10n,
  blobPriceBump: 100n,
  lifetime: 3 * 60 * 60 * 1_000,
  pendingLifetime: 24 * 60 * 60 * 1_000,
  minimumGasPrice: 0n,
  feeCap: 10n ** 18n,
  rejectBelowBaseFee: false,
  allowUnprotected: false,
  order: 'fees',
}
