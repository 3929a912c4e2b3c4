import { noBytes } from '../../base/bytes.ts'
import { emptyRoot } from '../rows.ts'
import { TrieHash } from './hash.ts'
import { Leaf } from './node.ts'
import { bandOf, type NodeTable, nodeKey } from './nodeTable.ts'
import type { NodeWrites } from './nodeWrites.ts'
import type { StoredTrie } from './sources.ts'
import { pathName, type TrieChange, TrieUpdate } from './update.ts'

/** Applies a sorted batch, adds the changed nodes to `writes`, and returns the new root; undefined if nothing changed. */
export const commitTrie = (
  source: StoredTrie,
  changes: readonly TrieChange[],
  nodes: NodeTable,
  writes: NodeWrites,
): Uint8Array | undefined => {
  const update = new TrieUpdate(source, changes)
  const { root, isChanged } = update.run()
  if (!isChanged) return undefined
  const { prefix } = source
  writes.begin()
  let hash = emptyRoot
  if (root) {
    hash = new TrieHash(source, {
      reserve: () => writes.reserve(),
      branch: (place, path, branch) => {
        if (update.removed.size > 0) update.removed.delete(pathName(path))
        const key = nodeKey(prefix, path)
        // Where a node comes back to a path, what it left there leads to its history.
        writes.set(place, key, bandOf(path), branch, branch.stored ?? nodes.newest(key))
      },
    }).root(root)
    if (root instanceof Leaf) {
      update.removed.delete('')
      writes.add(prefix, noBytes, root, nodes.newest(nodeKey(prefix, noBytes)))
    }
  }
  for (const path of update.removed.values()) {
    writes.add(prefix, path, undefined, nodes.newest(nodeKey(prefix, path)))
  }
  return hash
}
