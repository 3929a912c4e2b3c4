import type { Signature } from '../base/crypto.ts'

/** The accounts that the node manages, and those of them that it can sign for now. */
export interface Accounts {
  /** 20 bytes each, in a stable order. */
  list(): readonly Uint8Array[]
  /** Undefined: the account is locked, or not ours. */
  sign(address: Uint8Array, hash: Uint8Array): Signature | undefined
  has(address: Uint8Array): boolean
}
