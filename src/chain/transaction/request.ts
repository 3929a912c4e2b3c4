import type { AccessListEntry, Authorization } from './types.ts'

/** A transaction that is still to be run or signed: as a client describes it, with whatever members it gives. */
export interface TransactionRequest {
  readonly from?: Uint8Array | undefined
  /** Undefined: the data is init code. */
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
  /** EIP-2718. */
  readonly type?: bigint | undefined
  readonly maxFeePerBlobGas?: bigint | undefined
  readonly blobVersionedHashes?: readonly Uint8Array[] | undefined
  readonly blobs?: readonly Uint8Array[] | undefined
  readonly commitments?: readonly Uint8Array[] | undefined
  readonly proofs?: readonly Uint8Array[] | undefined
  readonly authorizationList?: readonly Authorization[] | undefined
}

/** One whose sender is known: what an account of the node is to sign. */
export interface SignableTransactionRequest extends TransactionRequest {
  readonly from: Uint8Array
}
