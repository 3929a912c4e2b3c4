import { emptyBytes } from '../../base/bytes.ts'
import { keccak256 } from '../../base/crypto.ts'

/**
 * The synchronous seam between the machine and the state below it: what execution reads, and what it leaves behind.
 * `evm/` is written against it, `state/` implements it; neither knows the other.
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
  /** Undefined where no account exists (an empty account can exist before Spurious Dragon). */
  account(address: Uint8Array): Account | undefined
  storage(address: Uint8Array, slot: Uint8Array): Uint8Array
  code(codeHash: Uint8Array): Uint8Array
  /** Whether any slot of the account is set (EIP-7610 refuses to create a contract there). */
  hasStorage(address: Uint8Array): boolean
}

/** Final values of what one or more transactions changed in one account. */
export interface AccountChange {
  readonly address: Uint8Array
  /** Undefined: the account is gone. */
  readonly account: Account | undefined
  /** The account's earlier storage is gone (destroyed, and perhaps created again): only `storage` holds now. */
  readonly storageCleared: boolean
  readonly storage: readonly (readonly [slot: Uint8Array, value: Uint8Array])[]
}

export interface StateChanges {
  readonly accounts: readonly AccountChange[]
  /** Code that was deployed, to be kept under its hash. */
  readonly code: readonly (readonly [codeHash: Uint8Array, code: Uint8Array])[]
}
