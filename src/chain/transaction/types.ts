/** Transactions as execution and pool see them: decoded, every field within its limits, addresses and hashes as bytes. */

export interface AccessListEntry {
  readonly address: Uint8Array
  readonly storageKeys: readonly Uint8Array[]
}

/** EIP-7702. Its signature is not checked by decoding: a tuple that proves invalid is skipped, not the transaction. */
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
  /** Undefined: the transaction creates a contract. */
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
  /** Undefined: signed without replay protection, before EIP-155. */
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

/** What carries a blob transaction's blobs through the pool; it is no part of the transaction or of its hash. */
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

/** A transaction that can never be valid, whatever the state. */
export class TransactionError extends Error {
  override readonly name = 'TransactionError'
  readonly kind: TransactionErrorKind

  constructor(fault: TransactionErrorKind, message: string) {
    super(message)
    this.kind = fault
  }
}

/** A transaction with what follows from it. */
export interface RecoveredTransaction {
  readonly transaction: Transaction
  /** The canonical bytes. */
  readonly raw: Uint8Array
  readonly hash: Uint8Array
  /** Who signed it, or in a simulation is taken to have. */
  readonly sender: Uint8Array
}
