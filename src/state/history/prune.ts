import { decodeChangeList } from '../rows/changeList.ts'
import { heightKey, readHeight } from '../rows/rows.ts'
import { readVersion, versionBytes } from '../rows/versionedTable.ts'
import type { StateTables } from '../stateTables.ts'
import { nodeRowAt } from '../trie/nodeVersion.ts'
import { concatKey } from '../trie/storedTrie.ts'

/** The pruning modes and the number of states that each keeps. */
export const pruningModes = { archive: Number.POSITIVE_INFINITY, default: 100_000, everything: 10 } as const
export type PruningMode = keyof typeof pruningModes

/**
 * The rows of dropped storage that one commit deletes, so that a contract of any size is deleted in bounded
 * steps.
 */
const sweepLimit = 5_000
/** The storages that one commit looks at, however few rows they have. */
const sweptStorages = 500
/**
 * The heights that one commit prunes, so that a store whose mode was changed is pruned without a long pause.
 */
const heightsLimit = 4

/** The rows to delete with the next commit. */
export interface PruningStep {
  readonly oldest: number
  write(): void
}

/**
 * Prunes the states below `keepFrom`. When a height becomes the oldest, the earlier versions of the rows that
 * it changed are not needed any more, and neither are its tombstones.
 */
export const preparePruning = (
  tables: StateTables,
  oldest: number,
  keepFrom: number,
): PruningStep | undefined => {
  const versions: (readonly [table: number, key: Uint8Array, value: Uint8Array])[] = []
  const deletedNodes: Uint8Array[] = []
  const dropped: Uint8Array[] = []
  const last = Math.min(keepFrom, oldest + heightsLimit)
  for (let height = oldest + 1; height <= last; height++) {
    const row = tables.changes.get(heightKey(height))
    if (!row) throw new Error(`no change list is kept for ${height}`)
    const list = decodeChangeList(row)
    for (const [table, keys] of list.keys.entries()) {
      for (const key of keys) versions.push(...prunableVersions(tables, table, key, height))
    }
    for (const { key, isDeleted: isGone } of tables.nodes.replacedBy(height)) {
      if (isGone && isTombstone(tables.nodes.newest(key), height)) deletedNodes.push(key.slice())
    }
    dropped.push(...list.dropped)
  }
  const swept = sweep(tables)
  if (last <= oldest && !swept) return undefined
  const history = last > oldest ? tables.nodes.historyKeys(oldest, last) : []
  return {
    oldest: Math.max(oldest, last),
    write: () => {
      for (const [table, key, value] of versions) tables.versioned[table as 0].table.remove(key, value)
      for (const key of deletedNodes) tables.nodes.nodes.remove(key)
      for (const key of history) tables.nodes.history.remove(key)
      for (const prefix of dropped) tables.droppedStorage.put(prefix, Uint8Array.of(1))
      if (last > oldest) tables.changes.remove(heightKey(oldest))
      for (let height = oldest; height < last; height++) {
        tables.roots.remove(heightKey(height))
        tables.changes.remove(heightKey(height + 1))
      }
      swept?.()
    },
  }
}

const prunableVersions = (tables: StateTables, table: number, key: Uint8Array, height: number) => {
  const found = tables.versioned[table as 0].versionsUpTo(key, height)
  return found
    .filter((value) => readVersion(value) < height || value.length === versionBytes)
    .map((value) => [table, key, value] as const)
}

const isTombstone = (stored: Uint8Array | undefined, height: number): boolean =>
  stored !== undefined && stored.length === nodeRowAt && readHeight(stored, 0) <= height

/** Deletes a part of the storage that no kept height refers to. */
const sweep = (tables: StateTables): (() => void) | undefined => {
  const prefixes = [...tables.droppedStorage.getKeys({ limit: sweptStorages })].map((key) => key.slice())
  if (prefixes.length === 0) return undefined
  const slots: Uint8Array[] = []
  const nodes: Uint8Array[] = []
  const emptied: Uint8Array[] = []
  for (const prefix of prefixes) {
    const nodePrefix = concatKey(Uint8Array.of(1), prefix)
    slots.push(...keysWithPrefix(tables.slots.table, prefix, sweepLimit - slots.length))
    nodes.push(...keysWithPrefix(tables.nodes.nodes, nodePrefix, sweepLimit - nodes.length))
    if (slots.length >= sweepLimit || nodes.length >= sweepLimit) break
    emptied.push(prefix)
  }
  return () => {
    for (const key of slots) tables.slots.table.remove(key)
    for (const key of nodes) tables.nodes.nodes.remove(key)
    for (const prefix of emptied) tables.droppedStorage.remove(prefix)
  }
}

const keysWithPrefix = (table: StateTables['code'], prefix: Uint8Array, limit: number): Uint8Array[] => {
  const end = successor(prefix)
  return [...table.getKeys({ start: prefix, limit, ...(end && { end }) })].map((key) => key.slice())
}

/** Returns the first key after all keys with the prefix; undefined if there is none. */
const successor = (prefix: Uint8Array): Uint8Array | undefined => {
  // A buffer's `slice` would share its bytes: the prefix itself would be changed.
  const next = Uint8Array.from(prefix)
  for (let i = next.length - 1; i >= 0; i--) {
    if (next[i] === 0xff) continue
    next[i] = (next[i] as number) + 1
    return next.slice(0, i + 1)
  }
  return undefined
}
