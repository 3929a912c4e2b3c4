import { keccak256 } from '../../base/crypto/crypto.ts'
import { emptyBytes } from '../../base/encoding/bytes.ts'

/**
 * The synchronous interface between the EVM and the state: what execution reads, and the changes that it
 * returns. `evm/` uses it and `state/` implements it; neither imports the other.
 */

/** The code hash of an account without code. */
export const emptyCodeHash: Uint8Array = keccak256(emptyBytes)

export interface Account {
  readonly nonce: bigint
  readonly balance: bigint
  /** keccak256 of the code; the hash of no bytes for an account without code. */
  readonly codeHash: Uint8Array
}

/** The state at one height. Addresses are 20 bytes, slots and values 32; an unset slot is 32 zero bytes. */
export interface EvmStateReader {
  /**
   * Returns an account; undefined if it does not exist (an empty account can exist before Spurious Dragon).
   */
  account(address: Uint8Array): Account | undefined
  storage(address: Uint8Array, slot: Uint8Array): Uint8Array
  code(codeHash: Uint8Array): Uint8Array
  /** Checks whether any slot of the account is set (EIP-7610 forbids to create a contract there). */
  hasStorage(address: Uint8Array): boolean
}

/** The final values of one account after one or more transactions. */
export interface AccountChange {
  readonly address: Uint8Array
  /** The account; undefined if it was deleted. */
  readonly account: Account | undefined
  /**
   * Whether the account's earlier storage was deleted (destroyed, and perhaps created again), so that only
   * `storage` applies.
   */
  readonly storageCleared: boolean
  readonly storage: readonly (readonly [slot: Uint8Array, value: Uint8Array])[]
}

export interface StateChanges {
  readonly accounts: readonly AccountChange[]
  /** The deployed code, to be stored under its hash. */
  readonly code: readonly (readonly [codeHash: Uint8Array, code: Uint8Array])[]
}

/** The keys of what differs between a state and a later one. */
export interface ChangedKeys {
  /** The accounts that changed, and whether the storage of each is another one altogether. */
  readonly accounts: readonly { readonly address: Uint8Array; readonly isReplaced: boolean }[]
  readonly slots: readonly { readonly address: Uint8Array; readonly slot: Uint8Array }[]
}
