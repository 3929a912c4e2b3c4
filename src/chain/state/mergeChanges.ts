import { toHex } from '../../base/encoding/hex.ts'
import type { AccountChange, StateChanges } from './evmState.ts'

export const noChanges: StateChanges = { accounts: [], code: [] }

const mergeStorage = (first: AccountChange, second: AccountChange): AccountChange['storage'] => {
  if (second.storageCleared || first.account === undefined) return second.storage
  const slots = new Map(first.storage.map((pair) => [toHex(pair[0]), pair]))
  for (const pair of second.storage) slots.set(toHex(pair[0]), pair)
  return [...slots.values()]
}

const mergeAccount = (first: AccountChange, second: AccountChange): AccountChange => ({
  address: second.address,
  account: second.account,
  // An account that the first deleted and the second created again keeps no earlier storage.
  storageCleared: first.storageCleared || second.storageCleared || first.account === undefined,
  storage: mergeStorage(first, second),
})

/** Merges two consecutive changes of a state into one. */
export const mergeChanges = (first: StateChanges, second: StateChanges): StateChanges => {
  if (first.accounts.length === 0) return second
  const accounts = new Map(first.accounts.map((change) => [toHex(change.address), change]))
  for (const change of second.accounts) {
    const key = toHex(change.address)
    const before = accounts.get(key)
    accounts.set(key, before === undefined ? change : mergeAccount(before, change))
  }
  return { accounts: [...accounts.values()], code: [...first.code, ...second.code] }
}
