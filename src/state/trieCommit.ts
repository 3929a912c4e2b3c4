import { noBytes } from '../base/bytes.ts'
import { Leaf, leafRow } from './node.ts'
import { emptyRoot } from './rows.ts'
import { TrieHash } from './trieHash.ts'
import { pathName, type TrieChange, type TrieSource, TrieUpdate } from './trieUpdate.ts'
import type { WriteSet } from './writeSet.ts'

/** The rows of one trie that a batch changed, and where they go. */
export interface TrieTarget {
  readonly writes: WriteSet
  readonly table: number
  /** What the keys of this trie's rows begin with. */
  readonly prefix: Uint8Array
  /** Told of each row that changed; undefined where there is none now. */
  onRow?(path: Uint8Array, row: Uint8Array | undefined): void
}

/** Applies a sorted batch, adds the changed rows to the target, and returns the new root; undefined if nothing changed. */
export const commitTrie = (
  source: TrieSource,
  changes: readonly TrieChange[],
  target: TrieTarget,
): Uint8Array | undefined => {
  const update = new TrieUpdate(source, changes)
  const { root, isChanged } = update.run()
  if (!isChanged) return undefined
  const { writes, table, prefix } = target
  let hash = emptyRoot
  if (root) {
    const sink = {
      reserve: () => writes.reserve(table),
      branch: (place: number, path: Uint8Array, branch: Parameters<WriteSet['branch']>[4]) => {
        if (update.removed.size > 0) update.removed.delete(pathName(path))
        const row = writes.branch(table, place, prefix, path, branch)
        target.onRow?.(path, row)
      },
    }
    hash = new TrieHash(source, sink).root(root)
    if (root instanceof Leaf) {
      update.removed.delete('')
      const row = leafRow(root)
      writes.add(table, prefix, row)
      target.onRow?.(noBytes, row)
    }
  }
  for (const path of update.removed.values()) {
    const key = new Uint8Array(prefix.length + path.length)
    key.set(prefix)
    key.set(path, prefix.length)
    writes.add(table, key, noBytes)
    target.onRow?.(path, undefined)
  }
  return hash
}
