import { keccak256 } from '../../base/crypto/crypto.ts'
import { maxUint256 } from '../../base/encoding/bytes.ts'
import { toHex } from '../../base/encoding/hex.ts'
import {
  type Account,
  type AccountChange,
  type EvmStateReader,
  emptyCodeHash,
  type StateChanges,
} from './evmState.ts'
import { mergeChanges, noChanges } from './mergeChanges.ts'
import { createOverlay } from './overlay.ts'

/** New values for one account, set from outside a block; what is undefined stays. */
export interface AccountEdit {
  readonly address: Uint8Array
  readonly balance?: bigint | undefined
  /** Wei on top of the balance, which stops at the most that there can be. */
  readonly addedBalance?: bigint | undefined
  readonly nonce?: bigint | undefined
  readonly code?: Uint8Array | undefined
  /** Whether all slots but those of `storage` are deleted. */
  readonly replacesStorage?: boolean | undefined
  readonly storage?: readonly (readonly [slot: Uint8Array, value: Uint8Array])[] | undefined
}

const noAccount: Account = { nonce: 0n, balance: 0n, codeHash: emptyCodeHash }

/** Returns the changes that edits make to a state. */
export const toStateChanges = (state: EvmStateReader, edits: readonly AccountEdit[]): StateChanges => {
  const seen = new Set<string>()
  let before = state
  let done = noChanges
  let changes: { accounts: AccountChange[]; code: StateChanges['code'][number][] } = {
    accounts: [],
    code: [],
  }
  for (const edit of edits) {
    const id = toHex(edit.address)
    // Two edits of one account follow each other.
    if (seen.has(id)) {
      done = mergeChanges(done, changes)
      before = createOverlay(state, done)
      changes = { accounts: [], code: [] }
      seen.clear()
    }
    seen.add(id)
    changes.accounts.push(toAccountChange(before, edit))
    if (edit.code !== undefined && edit.code.length > 0)
      changes.code.push([keccak256(edit.code), edit.code] as const)
  }
  return mergeChanges(done, changes)
}

const toAccountChange = (state: EvmStateReader, edit: AccountEdit): AccountChange => {
  const { address, storage = [], replacesStorage = false } = edit
  const before = state.account(address) ?? noAccount
  const balance = (edit.balance ?? before.balance) + (edit.addedBalance ?? 0n)
  const account: Account = {
    nonce: edit.nonce ?? before.nonce,
    balance: balance > maxUint256 ? maxUint256 : balance,
    codeHash: edit.code === undefined ? before.codeHash : keccak256(edit.code),
  }
  const isEmpty =
    account.nonce === 0n && account.balance === 0n && Buffer.compare(account.codeHash, emptyCodeHash) === 0
  const hasStorage =
    storage.some(([, value]) => value.some((byte) => byte !== 0)) ||
    (!replacesStorage && state.hasStorage(address))
  // An account without anything does not exist (EIP-161).
  if (isEmpty && !hasStorage) return { address, account: undefined, storageCleared: true, storage: [] }
  return { address, account, storageCleared: replacesStorage, storage }
}
