import { toHex } from '../../base/encoding/hex.ts'
import type { Account, AccountChange, EvmStateReader, StateChanges } from '../../chain/state/evmState.ts'

const unset = new Uint8Array(32)

/** Returns a state with changes on top that are not written. */
export const createOverlay = (base: EvmStateReader, changes: StateChanges): EvmStateReader => {
  const accounts = new Map(changes.accounts.map((change) => [toHex(change.address), change]))
  const slots = new Map<AccountChange, ReadonlyMap<string, Uint8Array>>()
  const code = new Map(changes.code.map(([codeHash, bytes]) => [toHex(codeHash), bytes]))
  const slotsOf = (change: AccountChange): ReadonlyMap<string, Uint8Array> => {
    const known = slots.get(change) ?? new Map(change.storage.map(([slot, value]) => [toHex(slot), value]))
    slots.set(change, known)
    return known
  }
  return {
    account: (address): Account | undefined => {
      const change = accounts.get(toHex(address))
      return change === undefined ? base.account(address) : change.account
    },
    storage: (address, slot) => {
      const change = accounts.get(toHex(address))
      if (change === undefined) return base.storage(address, slot)
      const value = slotsOf(change).get(toHex(slot))
      if (value !== undefined) return value
      return change.storageCleared || change.account === undefined ? unset : base.storage(address, slot)
    },
    code: (codeHash) => code.get(toHex(codeHash)) ?? base.code(codeHash),
    hasStorage: (address) => {
      const change = accounts.get(toHex(address))
      if (change === undefined) return base.hasStorage(address)
      const hasNonZeroSlot = change.storage.some(([, value]) => value.some((byte) => byte !== 0))
      return (
        hasNonZeroSlot || (!change.storageCleared && change.account !== undefined && base.hasStorage(address))
      )
    },
  }
}
