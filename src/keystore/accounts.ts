import type { Signature } from '../base/platform/signing.ts'

/** The accounts that the node manages, and the signing with those that are unlocked. */
export interface Accounts {
  /** Returns the addresses (20 bytes each) in a stable order. */
  list(): readonly Uint8Array[]
  /** Returns undefined if the account is locked or is not managed by the node. */
  sign(address: Uint8Array, hash: Uint8Array): Signature | undefined
  has(address: Uint8Array): boolean
}
