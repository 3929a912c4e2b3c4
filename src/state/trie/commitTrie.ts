import { emptyBytes } from '../../base/encoding/bytes.ts'
import { emptyRoot } from '../rows/rows.ts'
import { TrieHasher } from './hash.ts'
import { nodeKey, pathBand, type TrieNodeTable } from './nodeTable.ts'
import type { TrieNodeWrites } from './nodeWrites.ts'
import type { StoredTrie } from './storedTrie.ts'
import { Leaf } from './trieNode.ts'
import { type MergeListener, pathKey, type TrieChange, TrieUpdater } from './update.ts'

/** Applies a sorted batch, adds the changed nodes to `writes`, and returns the new root; undefined if nothing changed. */
export const commitTrie = (
  source: StoredTrie,
  changes: readonly TrieChange[],
  nodes: TrieNodeTable,
  writes: TrieNodeWrites,
  onMerge?: MergeListener,
): Uint8Array | undefined => {
  const update = new TrieUpdater(source, changes, onMerge)
  const { root, isChanged } = update.run()
  if (!isChanged) return undefined
  const { prefix } = source
  writes.startTrie()
  let hash = emptyRoot
  if (root) {
    hash = new TrieHasher(source, {
      reserve: () => writes.reserve(),
      branch: (position, path, branch) => {
        if (update.removed.size > 0) update.removed.delete(pathKey(path))
        const key = nodeKey(prefix, path)
        // If a trie node is written to a path again, the tombstone there leads to its history.
        writes.set(position, key, pathBand(path), branch, branch.stored ?? nodes.newest(key))
      },
    }).root(root)
    if (root instanceof Leaf) {
      update.removed.delete('')
      writes.add(prefix, emptyBytes, root, nodes.newest(nodeKey(prefix, emptyBytes)))
    }
  }
  for (const path of update.removed.values()) {
    writes.add(prefix, path, undefined, nodes.newest(nodeKey(prefix, path)))
  }
  return hash
}
