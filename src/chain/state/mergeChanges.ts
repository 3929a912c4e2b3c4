import { toHex } from '../../base/hex.ts'
import type { AccountChange, StateChanges } from './evmState.ts'

export const noChanges: StateChanges = { accounts: [], code: [] }

const mergeStorage = (first: AccountChange, second: AccountChange): AccountChange['storage'] => {
  if (second.storageCleared || first.account === undefined) return second.storage
  const slots = new Map(first.storage.map((pair) => [toHex(pair[0]), pair]))
  for (const pair of second.storage) slots.set(toHex(pair[0]), pair)
  return [...slots.values()]
}

const mergeAccount = (first: AccountChange, then: AccountChange): AccountChange => ({
  address: then.address,
  account: then.account,
  // What was deleted by the first and made again by the second has nothing of its storage from before both.
  storageCleared: first.storageCleared || then.storageCleared || first.account === undefined,
  storage: mergeStorage(first, then),
})

/** Two changes of a state, one after the other, as one. */
export const mergeChanges = (first: StateChanges, then: StateChanges): StateChanges => {
  if (first.accounts.length === 0) return then
  const accounts = new Map(first.accounts.map((change) => [toHex(change.address), change]))
  for (const change of then.accounts) {
    const key = toHex(change.address)
    const before = accounts.get(key)
    accounts.set(key, before === undefined ? change : mergeAccount(before, change))
  }
  return { accounts: [...accounts.values()], code: [...first.code, ...then.code] }
}
