import { decodeChangeList } from '../rows/changeList.ts'
import { heightKey, readHeight } from '../rows/rows.ts'
import type { StateHead, StateTables } from '../stateTables.ts'
import { applyDelta } from '../trie/nodeDelta.ts'

/**
 * Returns a function that reverts every height above `to`, to be called inside a transaction: it removes the
 * versions that they added and restores the trie nodes that they replaced. The cost depends on the number of
 * changes.
 */
export const prepareRevert = (tables: StateTables, head: StateHead, to: StateHead): (() => void) => {
  const removals: (readonly [table: number, key: Uint8Array, value: Uint8Array])[] = []
  const nodes = new Map<string, readonly [key: Uint8Array, before: Uint8Array | undefined]>()
  for (let height = head.height; height > to.height; height--) {
    const row = tables.changes.get(heightKey(height))
    if (!row) throw new Error(`no change list is kept for ${height}`)
    for (const [table, keys] of decodeChangeList(row).keys.entries()) {
      for (const key of keys) {
        const value = tables.versioned[table as 0].exact(key, height)
        if (!value) throw new Error(`the change list of ${height} names a row that is missing`)
        removals.push([table, key, value])
      }
    }
    // The lowest height has the trie node from before all of them.
    for (const { key, before, isDelta } of [...tables.nodes.replacedBy(height)]) {
      const name = Buffer.from(key).toString('latin1')
      if (!before || !isDelta) nodes.set(name, [key, before])
      else {
        const after = nodes.has(name) ? nodes.get(name)?.[1] : tables.nodes.newest(key)
        if (!after || readHeight(after, 0) !== height)
          throw new Error(`the node history of ${height} lacks a row`)
        nodes.set(name, [key, applyDelta(before, after)])
      }
    }
  }
  const history = tables.nodes.historyKeys(to.height + 1, head.height)
  return () => {
    for (const [table, key, value] of removals) tables.versioned[table as 0].table.remove(key, value)
    for (const [key, before] of nodes.values()) {
      if (before) tables.nodes.nodes.put(key, before)
      else tables.nodes.nodes.remove(key)
    }
    for (const key of history) tables.nodes.history.remove(key)
    for (let height = head.height; height > to.height; height--) {
      tables.changes.remove(heightKey(height))
      tables.roots.remove(heightKey(height))
    }
    tables.setHead(to)
  }
}
