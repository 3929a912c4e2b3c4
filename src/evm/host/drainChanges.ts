import { equalBytes } from '../../base/encoding/bytes.ts'
import {
  type Account,
  type AccountChange,
  emptyCodeHash,
  type StateChanges,
} from '../../chain/state/evmState.ts'
import type { EvmInstance } from './instance.ts'
import { readWord, readWordAsBytes } from './words.ts'

/** Returns the account as the journal has it; undefined if it does not exist. */
export const decodeAccountRecord = (instance: EvmInstance, record: number): Account | undefined => {
  const { view, at } = instance
  if ((view.getUint32(record + at.A_FLAGS, true) & at.EXISTS) === 0) return undefined
  return {
    nonce: view.getBigUint64(record + at.A_NONCE, true),
    balance: readWord(view, record + at.A_BALANCE),
    codeHash: instance.copy(record + at.A_CODEHASH, 32),
  }
}

/** Groups the slots that were written since the last drain by their account, if their values differ now. */
const changedSlots = (
  instance: EvmInstance,
  records: readonly number[],
): Map<number, [Uint8Array, Uint8Array][]> => {
  const { view, bytes, at } = instance
  const slots = new Map<number, [Uint8Array, Uint8Array][]>()
  for (const record of records) {
    view.setUint32(record + at.S_DIRTY, 0, true)
    const value = bytes.subarray(record + at.S_VALUE, record + at.S_VALUE + 32)
    const base = bytes.subarray(record + at.S_BASE, record + at.S_BASE + 32)
    const account = view.getUint32(record + at.S_ACCOUNT, true)
    const isCurrent =
      view.getUint32(record + at.S_GENERATION, true) === view.getUint32(account + at.A_GENERATION, true)
    if (!isCurrent || equalBytes(value, base)) continue
    base.set(value)
    const list = slots.get(account)
    const pair: [Uint8Array, Uint8Array] = [
      readWordAsBytes(bytes, record + at.S_KEY, 32),
      readWordAsBytes(bytes, record + at.S_VALUE, 32),
    ]
    if (list === undefined) slots.set(account, [pair])
    else list.push(pair)
  }
  return slots
}

/** Checks whether the account differs from the last drain, storage aside. */
const isChanged = (instance: EvmInstance, record: number): boolean => {
  const { view, bytes, at } = instance
  const exists = view.getUint32(record + at.A_FLAGS, true) & at.EXISTS
  const existed = view.getUint32(record + at.A_BASE_FLAGS, true) & at.EXISTS
  if (exists !== existed) return true
  if (exists === 0) return false
  const generations =
    view.getUint32(record + at.A_GENERATION, true) !== view.getUint32(record + at.A_BASE_GENERATION, true)
  const now = bytes.subarray(record + at.A_NONCE, record + at.A_NONCE + 72)
  const base = bytes.subarray(record + at.A_BASE_NONCE, record + at.A_BASE_NONCE + 72)
  return generations || !equalBytes(now, base)
}

/** Returns the changes of the executions since the last call. Later calls compare with these values. */
export const drainChanges = (instance: EvmInstance): StateChanges => {
  const { at } = instance
  const accountRecords = new Set<number>()
  const slotRecords: number[] = []
  // The lowest bit tells slots from accounts.
  let entry = instance.run.firstDirty.value
  while (entry !== 0) {
    const record = entry & ~1
    const isSlot = record !== entry
    if (isSlot) slotRecords.push(record)
    else accountRecords.add(record)
    entry = instance.view.getUint32(record + (isSlot ? at.S_DIRTY_NEXT : at.A_DIRTY_NEXT), true)
  }
  const slots = changedSlots(instance, slotRecords)
  for (const record of slots.keys()) accountRecords.add(record)
  const accounts: AccountChange[] = []
  const code: [Uint8Array, Uint8Array][] = []
  for (const record of accountRecords) {
    instance.view.setUint32(record + at.A_DIRTY, 0, true)
    const storage = slots.get(record) ?? []
    if (storage.length === 0 && !isChanged(instance, record)) continue
    const account = decodeAccountRecord(instance, record)
    const baseHash = instance.copy(record + at.A_BASE_CODEHASH, 32)
    if (
      account !== undefined &&
      !equalBytes(account.codeHash, baseHash) &&
      !equalBytes(account.codeHash, emptyCodeHash)
    ) {
      code.push([account.codeHash, instance.codeOf(record)])
    }
    // Code that comes from below may have grown the memory.
    const { view } = instance
    const existed = view.getUint32(record + at.A_BASE_FLAGS, true) !== 0
    const storageCleared =
      existed &&
      view.getUint32(record + at.A_GENERATION, true) !== view.getUint32(record + at.A_BASE_GENERATION, true)
    accounts.push({ address: instance.addressOf(record), account, storageCleared, storage })
    instance.run.saveBase(record)
  }
  instance.run.clearDirty()
  return { accounts, code }
}
