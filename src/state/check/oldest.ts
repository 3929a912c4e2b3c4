import { equalBytes } from '../../base/encoding/bytes.ts'
import { decodeChangeList, encodeChangeList } from '../rows/changeList.ts'
import { heightBytes, heightKey } from '../rows/rows.ts'
import { readVersion } from '../rows/versionedTable.ts'
import type { StateTables } from '../stateTables.ts'
import { decodePiece, isCanonicalPiece } from '../trie/nodeTable.ts'

/**
 * Checks what the oldest height wrote: no root shows what it changed. The first state of a chain keeps a change
 * list with every row and a history with every node that it has; one from a snapshot keeps an empty list and no history;
 * a state that became the oldest by pruning keeps neither.
 */
export const checkOldestWrites = (
  tables: StateTables,
  oldest: number,
  nodes: number,
  report: (problem: string) => void,
): void => {
  const entries = checkHistory(tables, oldest, report)
  if (entries > 0 && entries !== nodes)
    report(`the history of the oldest height names ${entries} nodes, ${nodes} are in its tries`)
  const row = tables.changes.get(heightKey(oldest))
  if (row === undefined) {
    if (entries > 0) report('the oldest height has a history and no change list')
    return
  }
  const list = decodeChangeList(row)
  if (!equalBytes(encodeChangeList(list), row))
    return report('the change list of the oldest height is not as it was written')
  if (list.dropped.length > 0) report('the change list of the oldest height names storage as dropped')
  const isEmpty = list.keys.every((keys) => keys.length === 0)
  if (isEmpty && entries === 0) return
  // The row is in lmdb's memory only until the next read.
  const copies = list.keys.map((keys) => keys.map((key) => Uint8Array.from(key)))
  for (const [table, keys] of copies.entries()) checkVersions(tables, table as 0 | 1, keys, oldest, report)
}

/** Checks that the versions of the oldest height are those that its change list names, and that there is none before. */
const checkVersions = (
  tables: StateTables,
  table: 0 | 1,
  keys: readonly Uint8Array[],
  oldest: number,
  report: (problem: string) => void,
): void => {
  const versioned = tables.versioned[table]
  const named = new Set(keys.map((key) => Buffer.from(key).toString('latin1')))
  if (named.size !== keys.length) report('the change list of the oldest height names a key twice')
  if (keys.some((key) => versioned.exact(key, oldest) === undefined))
    report('the change list of the oldest height names a version that is missing')
  let kept = 0
  for (const { value } of versioned.table.getRange({})) if (readVersion(value) <= oldest) kept++
  if (kept !== keys.length)
    report(`the oldest height wrote ${kept} rows, its change list names ${keys.length} of them`)
}

/** Checks the history of the oldest height, which replaced nothing, and returns the number of its entries. */
const checkHistory = (tables: StateTables, oldest: number, report: (problem: string) => void): number => {
  let count = 0
  for (const { key, value } of tables.nodes.history.getRange({ end: heightKey(oldest + 1) })) {
    const pieceKey = Uint8Array.from(key)
    const isWritten = isCanonicalPiece(value, [...decodePiece(value)])
    const entries = [...decodePiece(value)].map(({ key, before, isDeleted }) => ({
      key: Uint8Array.from(key),
      isFirst: before === undefined && !isDeleted,
    }))
    const isInPlace =
      entries[0] !== undefined &&
      equalBytes(pieceKey.subarray(0, heightBytes), heightKey(oldest)) &&
      equalBytes(pieceKey.subarray(heightBytes), entries[0].key)
    const isRight =
      isWritten && isInPlace && entries.every(({ key, isFirst }) => isFirst && tables.nodes.at(key, oldest))
    if (!isRight) report('the history of the oldest height is wrong')
    count += entries.length
  }
  return count
}
