import type { MaybePromise } from '../../base/async/maybePromise.ts'
import type { AccountView } from '../state/accountLeaf.ts'

/** The state at one height. Addresses are 20 bytes, slots and values 32. */
export interface StateView {
  balance(address: Uint8Array): MaybePromise<bigint>
  nonce(address: Uint8Array): MaybePromise<bigint>
  code(address: Uint8Array): MaybePromise<Uint8Array>
  storage(address: Uint8Array, slot: Uint8Array): MaybePromise<Uint8Array>
  /** Returns an account; undefined if it does not exist. */
  account(address: Uint8Array): MaybePromise<AccountView | undefined>
  /** Returns a proof of the account and of each slot, in the order of `slots`. */
  prove(address: Uint8Array, slots: readonly Uint8Array[]): MaybePromise<AccountProof>
  /** Returns accounts in the order of their hashed addresses, from `start` on (debug_accountRange, debug_dumpBlock). */
  accounts(start: Uint8Array, limit: number): MaybePromise<AccountPage>
  /** Returns slots in the order of their hashes, from `start` on (debug_storageRangeAt). */
  slots(address: Uint8Array, start: Uint8Array, limit: number): MaybePromise<SlotPage>
}

export interface AccountProof extends AccountView {
  /**
   * The type of the proofs. If undefined, they are nodes of Merkle-Patricia tries; otherwise each is a list
   * of ICS-23 commitment proofs, the innermost first.
   */
  readonly proofType?: 'ics23' | undefined
  readonly accountProof: readonly Uint8Array[]
  readonly storageProof: readonly { readonly value: bigint; readonly proof: readonly Uint8Array[] }[]
}

export interface AccountPage {
  readonly root: Uint8Array
  readonly accounts: readonly (AccountView & {
    readonly address: Uint8Array
    readonly hashedAddress: Uint8Array
  })[]
  /** The hashed address at which the next page starts; undefined on the last page. */
  readonly next: Uint8Array | undefined
}

export interface SlotPage {
  readonly slots: readonly {
    readonly hashedSlot: Uint8Array
    readonly slot: Uint8Array
    readonly value: Uint8Array
  }[]
  /** The hashed slot at which the next page starts; undefined on the last page. */
  readonly next: Uint8Array | undefined
}
