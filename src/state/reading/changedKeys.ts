import type { ChangedKeys } from '../../chain/state/evmState.ts'
import { decodeChangeList } from '../rows/changeList.ts'
import { decodeStorage, emptyRoot, heightBytes, heightKey } from '../rows/rows.ts'
import { versionBytes } from '../rows/versionedTable.ts'
import { type StateTables, tableIndex } from '../stateTables.ts'

const slotAt = 20 + heightBytes

/**
 * Returns what the heights after `from` up to `to` changed, on a chain that is not forked; undefined if that is not known any
 * more, or more than `limit` keys.
 */
export const readChangedKeys = (
  tables: StateTables,
  from: number,
  to: number,
  limit: number,
): ChangedKeys | undefined => {
  const accounts: { address: Uint8Array; isReplaced: boolean }[] = []
  const slots: { address: Uint8Array; slot: Uint8Array }[] = []
  for (let height = from + 1; height <= to; height++) {
    const row = tables.changes.get(heightKey(height))
    if (row === undefined) return undefined
    const { keys } = decodeChangeList(row)
    for (const address of keys[tableIndex.accounts] ?? [])
      accounts.push({ address, isReplaced: isReplaced(tables, address, from, to) })
    for (const key of keys[tableIndex.slots] ?? [])
      slots.push({ address: key.subarray(0, 20), slot: key.subarray(slotAt) })
    if (accounts.length + slots.length > limit) return undefined
  }
  return { accounts, slots }
}

/** Returns whether no slot of an account has the place that it had: an incarnation is the height at which it began. */
const isReplaced = ({ accounts }: StateTables, address: Uint8Array, from: number, to: number): boolean => {
  if (!accounts.find(address, to)) return true
  const { storageRoot, incarnation } = decodeStorage(accounts.bytes, versionBytes)
  return storageRoot === emptyRoot || incarnation > from
}
