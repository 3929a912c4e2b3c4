import { keccak256 } from '../../base/crypto/crypto.ts'
import { writeBranch, writeExtension, writeLeaf } from './nodeRlp.ts'
import { Branch, decodeNode, Leaf, nibble, terminal } from './trieNode.ts'
import type { TrieSource } from './update.ts'

/** Reads a trie: its leaves in order, and the nodes on the path to a key. */

/** A leaf of a walk, with its path. */
export interface WalkedLeaf {
  readonly key: Uint8Array
  readonly path: Uint8Array
}

const load = (source: TrieSource, path: Uint8Array): Leaf | Branch | undefined => {
  const stored = source.stored(path)
  return stored && decodeNode(stored, source.rowAt)
}

/** Returns every leaf from a path on (inclusive), in the trie's order. */
export function* iterateLeaves(
  source: TrieSource,
  from: Uint8Array = new Uint8Array(0),
): Generator<WalkedLeaf> {
  const root = load(source, new Uint8Array(0))
  if (root) yield* walk(source, root, new Uint8Array(0), from)
}

function* walk(
  source: TrieSource,
  node: Leaf | Branch,
  at: Uint8Array,
  from: Uint8Array,
): Generator<WalkedLeaf> {
  if (node instanceof Leaf) {
    const path = source.path(node.key)
    if (Buffer.compare(path, from) >= 0) yield { key: node.key, path }
    return
  }
  const base = append(at, node.extension)
  const order = comparePrefix(base, from)
  if (order < 0) return
  if (node.has(terminal)) yield* walk(source, node.child(terminal) as Leaf, base, from)
  for (let i = 0; i < terminal; i++) {
    if (!node.has(i)) continue
    const path = append(base, Uint8Array.of(i))
    if (comparePrefix(path, from) < 0) continue
    const child = node.isNode(i) ? load(source, path) : node.child(i)
    if (!child) throw new Error('a branch refers to a row that is missing')
    yield* walk(source, child, path, from)
  }
}

/**
 * Returns whether paths with this prefix all come before `from` (-1), may reach it (0), or all follow it (1).
 */
const comparePrefix = (prefix: Uint8Array, from: Uint8Array): number => {
  const length = Math.min(prefix.length, from.length * 2)
  for (let i = 0; i < length; i++) {
    const difference = (prefix[i] as number) - nibble(from, i)
    if (difference !== 0) return difference
  }
  return 0
}

const append = (path: Uint8Array, more: Uint8Array): Uint8Array => {
  const whole = new Uint8Array(path.length + more.length)
  whole.set(path)
  whole.set(more, path.length)
  return whole
}

/**
 * Returns the encodings of the nodes from the root to a path, or to where it is shown to be absent, as
 * `eth_getProof` has them. Nodes under 32 bytes are part of their parent and are not repeated.
 */
export const createProof = (source: TrieSource, path: Uint8Array): Uint8Array[] => {
  const proof: Uint8Array[] = []
  const add = (node: Uint8Array): void => {
    if (node.length >= 32 || proof.length === 0) proof.push(node)
  }
  let at: Uint8Array = new Uint8Array(0)
  let node = load(source, at)
  while (node instanceof Branch) {
    const branch = encodeBranch(source, node)
    if (node.extension.length > 0) {
      add(encodeExtension(node.extension, branch))
      at = append(at, node.extension)
      if (comparePrefix(at, path) !== 0 || at.length > path.length * 2) return proof
    }
    add(branch)
    if (at.length === path.length * 2) return proof
    const index = nibble(path, at.length)
    if (!node.has(index)) return proof
    at = append(at, Uint8Array.of(index))
    node = node.isNode(index) ? load(source, at) : node.child(index)
  }
  if (node) add(encodeLeaf(source, node, at.length))
  return proof
}

const encodeBranch = (source: TrieSource, branch: Branch): Uint8Array => {
  const ending = branch.child(terminal)
  const value = ending instanceof Leaf ? source.value(ending.key) : undefined
  const target = new Uint8Array(1024 + (value?.length ?? 0))
  return target.slice(0, writeBranch(target, branch, value))
}

const encodeExtension = (extension: Uint8Array, child: Uint8Array): Uint8Array => {
  const target = new Uint8Array(128 + extension.length)
  const ref = child.length < 32 ? child : keccak256(child)
  return target.slice(0, writeExtension(target, extension, ref))
}

export const encodeLeaf = (source: TrieSource, leaf: Leaf, depth: number): Uint8Array => {
  const value = source.value(leaf.key)
  const path = source.path(leaf.key)
  const target = new Uint8Array(64 + path.length + value.length)
  return target.slice(0, writeLeaf(target, path, depth, value))
}

/** Encodes a node as its parent refers to it: with its extension. */
export const encodeNode = (source: TrieSource, branch: Branch): Uint8Array => {
  const encoded = encodeBranch(source, branch)
  return branch.extension.length === 0 ? encoded : encodeExtension(branch.extension, encoded)
}
