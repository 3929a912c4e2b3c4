import { keccak256 } from '../../base/crypto/crypto.ts'
import { equalBytes } from '../../base/encoding/bytes.ts'
import { emptyRoot, readHeight } from '../rows/rows.ts'
import type { StateHead } from '../stateTables.ts'
import { nodeKey } from '../trie/nodeTable.ts'
import { concatKey, type StoredTrie } from '../trie/storedTrie.ts'
import { type Branch, decodeNode, Leaf, nibble, terminal, writeLeafRow } from '../trie/trieNode.ts'
import { encodeLeaf, encodeNode } from '../trie/walk.ts'

/** Reads tries against their roots: every reference is compared with the hash of what it refers to. */

/** The leaves and nodes of a trie. */
interface TrieSize {
  readonly leaves: number
  readonly nodes: number
}

const emptyPath = new Uint8Array(0)

/** Returns whether a row is what the node would be written as. */
const isCanonical = (node: Leaf | Branch, stored: Uint8Array, start: number): boolean => {
  const row = stored.subarray(start)
  const target = new Uint8Array(2_048 + row.length)
  const end = node instanceof Leaf ? writeLeafRow(target, 0, node) : node.write(target, 0)
  return equalBytes(target.subarray(0, end), row)
}

const load = (source: StoredTrie, path: Uint8Array): Leaf | Branch | undefined => {
  const stored = source.stored(path)
  if (!stored) return undefined
  const node = decodeNode(stored, source.rowAt)
  if (!isCanonical(node, stored, source.rowAt)) throw new Error('the row of a node is not as it was written')
  return node
}

const encode = (source: StoredTrie, node: Leaf | Branch, depth: number): Uint8Array =>
  node instanceof Leaf ? encodeLeaf(source, node, depth) : encodeNode(source, node)

const isReference = (branch: Branch, index: number, encoding: Uint8Array): boolean => {
  const ref = new Uint8Array(branch.refLength(index))
  branch.copyRef(index, ref, 0)
  return equalBytes(ref, encoding.length < 32 ? encoding : keccak256(encoding))
}

const hashOf = (source: StoredTrie, top: Leaf | Branch | undefined): Uint8Array =>
  top ? keccak256(encode(source, top, 0)) : emptyRoot

/** Returns whether the node at the top has the root's hash; what is below it is not read. */
export const hasRoot = (source: StoredTrie, root: Uint8Array): boolean =>
  equalBytes(hashOf(source, load(source, emptyPath)), root)

/** Reads a whole trie from its leaves up, and returns its size. Throws where it contradicts its root. */
export const readWholeTrie = (source: StoredTrie, root: Uint8Array): TrieSize => {
  const top = load(source, emptyPath)
  if (!equalBytes(hashOf(source, top), root))
    throw new Error(`hashes to ${Buffer.from(hashOf(source, top)).toString('hex')}`)
  if (!top) return { leaves: 0, nodes: 0 }
  return top instanceof Leaf ? { leaves: 1, nodes: 1 } : readSubtree(source, top, emptyPath)
}

const readSubtree = (source: StoredTrie, node: Branch, path: Uint8Array): TrieSize => {
  const base = concatKey(path, node.extension)
  let leaves = node.has(terminal) ? 1 : 0
  let nodes = 1
  for (let index = 0; index < terminal; index++) {
    if (!node.has(index)) continue
    const at = concatKey(base, Uint8Array.of(index))
    const child = readChild(source, node, index, at)
    if (child instanceof Leaf) leaves++
    else {
      const size = readSubtree(source, child, at)
      leaves += size.leaves
      nodes += size.nodes
    }
  }
  return { leaves, nodes }
}

/** Returns a child that is what its parent refers to. */
const readChild = (source: StoredTrie, node: Branch, index: number, at: Uint8Array): Leaf | Branch => {
  const child = node.isNode(index) ? load(source, at) : node.child(index)
  if (!child) throw new Error('a branch refers to a row that is missing')
  if (!isReference(node, index, encode(source, child, at.length)))
    throw new Error(`the node at ${Buffer.from(at).toString('hex')} is not what its parent refers to`)
  return child
}

/** Reads paths of one trie at a height; each node is read once, and the leaves of those that the height wrote too. */
export class PathReader {
  /** The keys of the nodes that were met, as latin1. */
  readonly met: Set<string>
  readonly #source: StoredTrie
  readonly #root: Uint8Array
  readonly #height: number
  readonly #nodes = new Map<string, Leaf | Branch | undefined>()

  constructor(source: StoredTrie, { height, root }: StateHead, met: Set<string>) {
    this.#source = source
    this.#root = root
    this.#height = height
    this.met = met
  }

  /** Returns the key of the leaf at a path; undefined if there is none. Throws where the path contradicts the root. */
  leaf(path: Uint8Array): Uint8Array | undefined {
    let at: Uint8Array = emptyPath
    let node = this.#top()
    while (node && !(node instanceof Leaf)) {
      const base = concatKey(at, node.extension)
      for (let i = at.length; i < base.length; i++) if (base[i] !== nibble(path, i)) return undefined
      const index = nibble(path, base.length)
      if (!node.has(index)) return undefined
      at = concatKey(base, Uint8Array.of(index))
      node = this.#child(node, index, at)
    }
    return node && equalBytes(this.#source.path(node.key), path) ? node.key : undefined
  }

  /** Returns whether there is a node at a path of nibbles. Throws where the way to it contradicts the root. */
  hasNode(path: Uint8Array): boolean {
    let at: Uint8Array = emptyPath
    let node = this.#top()
    while (node && !(node instanceof Leaf) && at.length < path.length) {
      const base = concatKey(at, node.extension)
      const index = path[base.length]
      if (index === undefined || !equalBytes(base, path.subarray(0, base.length)) || !node.isNode(index))
        return false
      at = concatKey(base, Uint8Array.of(index))
      node = this.#child(node, index, at)
    }
    return node !== undefined && at.length === path.length
  }

  #top(): Leaf | Branch | undefined {
    if (!this.#nodes.has('')) {
      const top = load(this.#source, emptyPath)
      if (!equalBytes(hashOf(this.#source, top), this.#root)) throw new Error('the root differs')
      this.#nodes.set('', top)
      if (top) this.#meet(emptyPath, top)
    }
    return this.#nodes.get('')
  }

  #child(node: Branch, index: number, at: Uint8Array): Leaf | Branch {
    const name = Buffer.from(at).toString('latin1')
    const known = this.#nodes.get(name)
    if (known) return known
    const child = readChild(this.#source, node, index, at)
    this.#nodes.set(name, child)
    if (node.isNode(index)) this.#meet(at, child)
    return child
  }

  #meet(path: Uint8Array, node: Leaf | Branch): void {
    this.met.add(Buffer.from(nodeKey(this.#source.prefix, path)).toString('latin1'))
    if (node instanceof Leaf || !this.#isNew(path)) return
    const base = concatKey(path, node.extension)
    // The keys of leaves are in no hash: only the leaf that they lead to is.
    for (let index = 0; index < terminal; index++)
      if (node.has(index) && !node.isNode(index))
        readChild(this.#source, node, index, concatKey(base, Uint8Array.of(index)))
  }

  #isNew(path: Uint8Array): boolean {
    const stored = this.#source.stored(path)
    return stored !== undefined && readHeight(stored, 0) === this.#height
  }
}
