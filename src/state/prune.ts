import { decodeChangeList } from './changeList.ts'
import { heightKey, readHeight } from './rows.ts'
import type { StateTables } from './tables.ts'
import { nodeRowAt } from './trie/nodeTable.ts'
import { concatKey } from './trie/sources.ts'
import { readVersion, versionBytes } from './versionedTable.ts'

/** What may be asked for: every state, or the last so many. */
export const pruningModes = { archive: Number.POSITIVE_INFINITY, default: 100_000, everything: 10 } as const
export type PruningMode = keyof typeof pruningModes

/** Rows of dropped storage deleted with one commit: a contract of any size goes in bounded pieces. */
const sweepLimit = 5_000
/** Heights given up with one commit, so that a store that changes its mode catches up without a long stop. */
const heightsLimit = 4

/** Rows to be taken out with the next commit. */
export interface PruningStep {
  readonly oldest: number
  write(): void
}

/**
 * Gives up the states below `keepFrom`. When a height becomes the oldest, whatever it changed has no use for its
 * earlier versions, and a tombstone of its own hides nothing any more.
 */
export const preparePruning = (
  tables: StateTables,
  oldest: number,
  keepFrom: number,
): PruningStep | undefined => {
  const versions: (readonly [table: number, key: Uint8Array, value: Uint8Array])[] = []
  const gone: Uint8Array[] = []
  const dropped: Uint8Array[] = []
  const last = Math.min(keepFrom, oldest + heightsLimit)
  for (let height = oldest + 1; height <= last; height++) {
    const row = tables.changes.get(heightKey(height))
    if (!row) throw new Error(`no change list is kept for ${height}`)
    const list = decodeChangeList(row)
    for (const [table, keys] of list.keys.entries()) {
      for (const key of keys) versions.push(...prunableVersions(tables, table, key, height))
    }
    for (const { key, isGone } of tables.nodes.replacedBy(height)) {
      if (isGone && isTombstone(tables.nodes.newest(key), height)) gone.push(key.slice())
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
      for (const key of gone) tables.nodes.nodes.remove(key)
      for (const key of history) tables.nodes.history.remove(key)
      for (const prefix of dropped) tables.droppedStorage.put(prefix, Uint8Array.of(1))
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

/** A piece of the storage that no kept height refers to. */
const sweep = (tables: StateTables): (() => void) | undefined => {
  const [prefix] = tables.droppedStorage.getKeys({ limit: 1 })
  if (!prefix) return undefined
  const slots = keysWithPrefix(tables.slots.table, prefix, sweepLimit)
  const nodes = keysWithPrefix(tables.nodes.nodes, concatKey(Uint8Array.of(1), prefix), sweepLimit)
  return () => {
    for (const key of slots) tables.slots.table.remove(key)
    for (const key of nodes) tables.nodes.nodes.remove(key)
    if (slots.length < sweepLimit && nodes.length < sweepLimit) tables.droppedStorage.remove(prefix)
  }
}

const keysWithPrefix = (table: StateTables['code'], prefix: Uint8Array, limit: number): Uint8Array[] => {
  const end = successor(prefix)
  return [...table.getKeys({ start: prefix, limit, ...(end && { end }) })].map((key) => key.slice())
}

/** The first key that does not begin with the prefix; undefined where there is none. */
const successor = (prefix: Uint8Array): Uint8Array | undefined => {
  const next = prefix.slice()
  for (let i = next.length - 1; i >= 0; i--) {
    if (next[i] === 0xff) continue
    next[i] = (next[i] as number) + 1
    return next.slice(0, i + 1)
  }
  return undefined
}
