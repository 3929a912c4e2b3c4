/** Transactions as execution and pool see them: decoded, every field within its limits, addresses and hashes as bytes. */

export interface AccessListEntry {
  readonly address: Uint8Array
  readonly storageKeys: readonly Uint8Array[]
}

/**
 * An authorization of EIP-7702. Decoding does not check its signature: an invalid tuple is skipped, not the
 * transaction.
 */
export interface Authorization {
  readonly chainId: bigint
  readonly address: Uint8Array
  readonly nonce: bigint
  readonly yParity: number
  readonly r: bigint
  readonly s: bigint
}

interface CommonFields {
  readonly nonce: bigint
  readonly gasLimit: bigint
  /** The recipient; undefined if the transaction creates a contract. */
  readonly to: Uint8Array | undefined
  readonly value: bigint
  readonly data: Uint8Array
}

interface FeeMarketFields extends CommonFields {
  readonly chainId: bigint
  readonly maxPriorityFeePerGas: bigint
  readonly maxFeePerGas: bigint
  readonly accessList: readonly AccessListEntry[]
}

export interface LegacyFields extends CommonFields {
  readonly type: 0
  /** The chain id; undefined if the transaction is signed without replay protection, before EIP-155. */
  readonly chainId: bigint | undefined
  readonly gasPrice: bigint
}

/** EIP-2930. */
export interface AccessListFields extends CommonFields {
  readonly type: 1
  readonly chainId: bigint
  readonly gasPrice: bigint
  readonly accessList: readonly AccessListEntry[]
}

/** EIP-1559. */
export interface DynamicFeeFields extends FeeMarketFields {
  readonly type: 2
}

/** EIP-4844. */
export interface BlobFields extends FeeMarketFields {
  readonly type: 3
  readonly maxFeePerBlobGas: bigint
  readonly blobVersionedHashes: readonly Uint8Array[]
}

/** EIP-7702. */
export interface SetCodeFields extends FeeMarketFields {
  readonly type: 4
  readonly authorizations: readonly Authorization[]
}

export type UnsignedTransaction =
  | LegacyFields
  | AccessListFields
  | DynamicFeeFields
  | BlobFields
  | SetCodeFields

export type TransactionType = UnsignedTransaction['type']

export interface TransactionSignature {
  readonly yParity: number
  readonly r: bigint
  readonly s: bigint
}

export type Transaction = UnsignedTransaction & { readonly signature: TransactionSignature }

/** The blobs of a blob transaction on its way through the pool; no part of the transaction or of its hash. */
export interface BlobSidecar {
  /** 0: one proof for each blob (EIP-4844). 1: 128 cell proofs for each blob (EIP-7594). */
  readonly version: 0 | 1
  readonly blobs: readonly Uint8Array[]
  readonly commitments: readonly Uint8Array[]
  readonly proofs: readonly Uint8Array[]
}

export type TransactionErrorKind =
  | 'encoding'
  | 'type'
  | 'signature'
  | 'chainId'
  | 'nonce'
  | 'fee'
  | 'gas'
  | 'initCode'
  | 'blobs'
  | 'authorizations'

/** The error for a transaction that no state can make valid. */
export class TransactionError extends Error {
  override readonly name = 'TransactionError'
  readonly kind: TransactionErrorKind

  constructor(fault: TransactionErrorKind, message: string) {
    super(message)
    this.kind = fault
  }
}

/** A transaction with its hash, bytes and sender. */
export interface RecoveredTransaction {
  readonly transaction: Transaction
  /** The canonical bytes. */
  readonly raw: Uint8Array
  readonly hash: Uint8Array
  /** The recovered sender, or in a simulation the assumed one. */
  readonly sender: Uint8Array
}
