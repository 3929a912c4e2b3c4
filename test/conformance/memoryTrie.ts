import { keccak256 } from '../../src/base/crypto/crypto.ts'
import { emptyRoot } from '../../src/state/rows/rows.ts'
import { TrieHasher } from '../../src/state/trie/hash.ts'
import { type Branch, Leaf, writeLeafRow } from '../../src/state/trie/trieNode.ts'
import { type TrieChange, type TrieSource, TrieUpdater } from '../../src/state/trie/update.ts'
import { iterateLeaves } from '../../src/state/trie/walk.ts'

const name = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex')

/** The committer over rows in a Map, with keys and values of any length. */
export class MemoryTrie {
  root = emptyRoot
  private readonly rows = new Map<string, Uint8Array>()
  private readonly values = new Map<string, Uint8Array>()
  private readonly source: TrieSource

  constructor(isSecure: boolean) {
    this.source = {
      rowAt: 0,
      stored: (path) => this.rows.get(name(path)),
      path: (key) => (isSecure ? keccak256(key) : key),
      value: (key) => this.values.get(name(key)) as Uint8Array,
    }
  }

  /** An undefined value deletes; of several for one key the last counts. */
  apply(batch: readonly (readonly [key: Uint8Array, value: Uint8Array | undefined])[]): void {
    const last = new Map(batch.map(([key, value]) => [name(key), [key, value] as const]))
    const changes: TrieChange[] = [...last.values()].map(([key, value]) => ({
      key,
      value,
      path: this.source.path(key),
    }))
    changes.sort((a, b) => Buffer.compare(a.path, b.path))
    const update = new TrieUpdater(this.source, changes)
    const { root, isChanged } = update.run()
    const written = new Map<string, Uint8Array>()
    if (isChanged && root) {
      this.root = new TrieHasher(this.source, {
        reserve: () => 0,
        branch: (_, path, branch) => written.set(name(path), rowOf(branch)),
      }).root(root)
      if (root instanceof Leaf) written.set('', rowOf(root))
    } else if (isChanged) this.root = emptyRoot
    for (const path of update.removed.values()) this.rows.delete(name(path))
    for (const [path, row] of written) this.rows.set(path, row)
    for (const [key, value] of last.values()) {
      if (value) this.values.set(name(key), value)
      else this.values.delete(name(key))
    }
  }

  keys(from?: Uint8Array): Uint8Array[] {
    return [...iterateLeaves(this.source, from)].map(({ key }) => key)
  }

  get rowCount(): number {
    return this.rows.size
  }
}

const rowOf = (node: Branch | Leaf): Uint8Array => {
  const buffer = new Uint8Array(20_000)
  const end = node instanceof Leaf ? writeLeafRow(buffer, 0, node) : node.write(buffer, 0)
  return buffer.slice(0, end)
}
