import type { AccessListEntry, Authorization } from './transaction.ts'

/** A transaction to be executed or signed, as a client describes it; every member is optional. */
export interface TransactionRequest {
  readonly from?: Uint8Array | undefined
  /** The recipient; undefined if the data is init code. */
  readonly to?: Uint8Array | undefined
  readonly gas?: bigint | undefined
  readonly gasPrice?: bigint | undefined
  readonly maxFeePerGas?: bigint | undefined
  readonly maxPriorityFeePerGas?: bigint | undefined
  readonly value?: bigint | undefined
  readonly nonce?: bigint | undefined
  readonly data?: Uint8Array | undefined
  readonly accessList?: readonly AccessListEntry[] | undefined
  readonly chainId?: bigint | undefined
  /** The transaction type (EIP-2718). */
  readonly type?: bigint | undefined
  readonly maxFeePerBlobGas?: bigint | undefined
  readonly blobVersionedHashes?: readonly Uint8Array[] | undefined
  readonly blobs?: readonly Uint8Array[] | undefined
  readonly commitments?: readonly Uint8Array[] | undefined
  readonly proofs?: readonly Uint8Array[] | undefined
  readonly authorizationList?: readonly Authorization[] | undefined
}

/** A transaction request whose `from` is an account that this node holds the key of. */
export interface SignableTransactionRequest extends TransactionRequest {
  readonly from: Uint8Array
}
