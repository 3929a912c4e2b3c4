import { decodeChangeList } from './changeList.ts'
import { heightKey } from './rows.ts'
import type { StateTables } from './tables.ts'
import { readVersion, versionBytes } from './versions.ts'

/** What may be asked for: every state, or the last so many. */
export const pruningModes = { archive: Number.POSITIVE_INFINITY, default: 100_000, everything: 10 } as const
export type PruningMode = keyof typeof pruningModes

/** Rows of dropped storage deleted with one commit: a contract of any size goes in bounded pieces. */
const sweepLimit = 5_000
/** Heights given up with one commit, so that a store that changes its mode catches up without a long stop. */
const heightsLimit = 4

/** Rows to be taken out with the next commit. */
export interface Pruning {
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
): Pruning | undefined => {
  const removals: (readonly [table: number, key: Uint8Array, value: Uint8Array])[] = []
  const dropped: Uint8Array[] = []
  const last = Math.min(keepFrom, oldest + heightsLimit)
  for (let height = oldest + 1; height <= last; height++) {
    const row = tables.changes.get(heightKey(height))
    if (!row) throw new Error(`no change list is kept for ${height}`)
    const list = decodeChangeList(row)
    for (const [table, keys] of list.keys.entries()) {
      for (const key of keys) {
        for (const value of tables.versioned[table as 0].versionsUpTo(key, height)) {
          if (readVersion(value) < height || value.length === versionBytes) removals.push([table, key, value])
        }
      }
    }
    dropped.push(...list.dropped)
  }
  const swept = sweep(tables)
  if (last <= oldest && !swept) return undefined
  return {
    oldest: Math.max(oldest, last),
    write: () => {
      for (const [table, key, value] of removals) tables.versioned[table as 0].table.remove(key, value)
      for (const prefix of dropped) tables.dead.put(prefix, Uint8Array.of(1))
      for (let height = oldest + 1; height <= last; height++) tables.changes.remove(heightKey(height))
      for (let height = oldest; height < last; height++) tables.roots.remove(heightKey(height))
      swept?.()
    },
  }
}

/** A piece of the storage that no kept height refers to. */
const sweep = (tables: StateTables): (() => void) | undefined => {
  const [prefix] = tables.dead.getKeys({ limit: 1 })
  if (!prefix) return undefined
  const end = successor(prefix)
  const rows: (readonly [table: number, key: Uint8Array])[] = []
  for (const table of [1, 3] as const) {
    const limit = sweepLimit - rows.length
    for (const key of tables.versioned[table].table.getKeys({ start: prefix, limit, ...(end && { end }) })) {
      rows.push([table, key.slice()])
    }
  }
  return () => {
    for (const [table, key] of rows) tables.versioned[table as 1].table.remove(key)
    if (rows.length < sweepLimit) tables.dead.remove(prefix)
  }
}

/** The first key that does not begin with the prefix. */
export const successor = (prefix: Uint8Array): Uint8Array | undefined => {
  const next = prefix.slice()
  for (let i = next.length - 1; i >= 0; i--) {
    if (next[i] !== 0xff) {
      next[i] = (next[i] as number) + 1
      return next.slice(0, i + 1)
    }
  }
  return undefined
}
