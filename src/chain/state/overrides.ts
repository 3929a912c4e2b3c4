import type { Withdrawal } from '../block/withdrawal.ts'

/** Slots and their values, 32 bytes each. */
export type StorageEntries = readonly (readonly [slot: Uint8Array, value: Uint8Array])[]

/** Values of one account that replace the stored ones during a call. */
export interface AccountOverride {
  readonly address: Uint8Array
  readonly nonce?: bigint | undefined
  readonly code?: Uint8Array | undefined
  readonly balance?: bigint | undefined
  /** The whole storage of the account. */
  readonly state?: StorageEntries | undefined
  /** Single slots; the other slots keep their values. */
  readonly stateDiff?: StorageEntries | undefined
  readonly movePrecompileToAddress?: Uint8Array | undefined
}

/** Values of the block that replace the real ones during a call. */
export interface BlockOverride {
  readonly number?: bigint | undefined
  readonly difficulty?: bigint | undefined
  readonly time?: bigint | undefined
  readonly gasLimit?: bigint | undefined
  readonly feeRecipient?: Uint8Array | undefined
  readonly prevRandao?: Uint8Array | undefined
  readonly baseFeePerGas?: bigint | undefined
  readonly blobBaseFee?: bigint | undefined
  readonly beaconRoot?: Uint8Array | undefined
  readonly withdrawals?: readonly Withdrawal[] | undefined
}
