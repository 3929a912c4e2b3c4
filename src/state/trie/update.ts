import { emptyBytes } from '../../base/encoding/bytes.ts'
import { Branch, decodeNode, Leaf, nibble, terminal } from './trieNode.ts'

/** The source of a trie's rows and leaf values. */
export interface TrieSource {
  /** Returns the stored row of the trie node at a path (one nibble per byte). Neither side may modify it. */
  stored(path: Uint8Array): Uint8Array | undefined
  /** The offset of the row in the stored value. */
  readonly rowAt: number
  /** Returns the path of a key, by which the trie is ordered. */
  path(key: Uint8Array): Uint8Array
  /** Returns the current value of a leaf, as the leaf's encoding holds it. */
  value(key: Uint8Array): Uint8Array
}

/** A new value for a key; undefined deletes it. */
export interface TrieChange {
  readonly key: Uint8Array
  readonly path: Uint8Array
  readonly value: Uint8Array | undefined
}

/**
 * Is called with the child that takes the place of its branch, before it is changed, and with its depth in nibbles. The root
 * cannot be computed without that child, though no change leads to it.
 */
export type MergeListener = (child: Leaf | Branch, depth: number) => void

const compare = (a: Uint8Array, b: Uint8Array): number => Buffer.compare(a, b)

/**
 * Applies a sorted batch of changes to a trie in one pass: it loads the rows on the way and leaves the new
 * shape in memory, with the nodes marked that must be encoded again. Nothing is hashed here, so that each
 * node is hashed once.
 */
export class TrieUpdater {
  /** The rows that are no longer at their path, unless one is written there again. */
  readonly removed = new Map<string, Uint8Array>()
  readonly #source: TrieSource
  readonly #changes: readonly TrieChange[]
  readonly #onMerge: MergeListener | undefined
  #path = new Uint8Array(66)

  /** Creates an updater; `changes` are sorted by path and have each path once. */
  constructor(source: TrieSource, changes: readonly TrieChange[], onMerge?: MergeListener) {
    this.#source = source
    this.#changes = changes
    this.#onMerge = onMerge
  }

  /** Returns the new root, and whether it differs from the old one. */
  run(): { readonly root: Leaf | Branch | undefined; readonly isChanged: boolean } {
    for (const { path } of this.#changes) {
      if (path.length * 2 + 2 > this.#path.length) this.#path = new Uint8Array(path.length * 2 + 2)
    }
    const before = this.#load(0)
    const root = this.#apply(before, 0, 0, this.#changes.length)
    const isChanged = root !== before || (root instanceof Branch && root.isChanged)
    if (isChanged && root === undefined) this.#remove(0)
    return { root, isChanged }
  }

  #apply(
    node: Leaf | Branch | undefined,
    depth: number,
    low: number,
    high: number,
  ): Leaf | Branch | undefined {
    if (node === undefined) return this.#build(this.#insertions(low, high), depth)
    if (node instanceof Leaf) return this.#applyToLeaf(node, depth, low, high)
    if (node.extension.length === 0) return this.#applyToBranch(node, depth, low, high)
    let from = low
    let to = high
    while (from < to && this.#shared(node.extension, from, depth) < node.extension.length) from++
    while (to > from && this.#shared(node.extension, to - 1, depth) < node.extension.length) to--
    let split = node.extension.length
    for (let i = low; i < high; i++) {
      if (i === from) i = to
      if (i >= high) break
      if (this.#change(i).value) split = Math.min(split, this.#shared(node.extension, i, depth))
    }
    if (split === node.extension.length) return from < to ? this.#applyToBranch(node, depth, from, to) : node
    return this.#applyToBranch(splitExtension(node, split), depth, low, high)
  }

  #applyToBranch(node: Branch, depth: number, low: number, high: number): Leaf | Branch | undefined {
    const at = depth + node.extension.length
    this.#path.set(node.extension, depth)
    for (let start = low; start < high; ) {
      const index = childIndex(this.#change(start).path, at)
      let end = start + 1
      while (end < high && childIndex(this.#change(end).path, at) === index) end++
      this.#path[at] = index
      const child = node.child(index) ?? this.#loadChild(node, index, at + 1)
      const next = this.#apply(child, at + 1, start, end)
      if (next !== child || (next instanceof Branch && next.isChanged)) node.setChild(index, next)
      start = end
    }
    if (!node.isChanged) return node
    return this.#collapse(node, depth)
  }

  #applyToLeaf(leaf: Leaf, depth: number, low: number, high: number): Leaf | Branch | undefined {
    const path = this.#pathOf(leaf)
    const items: Leaf[] = []
    let isPlaced = false
    for (let i = low; i < high; i++) {
      const change = this.#change(i)
      const order = isPlaced ? 1 : compare(change.path, path)
      if (order > 0 && !isPlaced) items.push(leaf)
      if (order >= 0) isPlaced = true
      if (change.value) items.push(new Leaf(change.key, change.path, change.value))
    }
    if (!isPlaced) items.push(leaf)
    if (items.length === 1 && items[0] === leaf) return leaf
    return this.#build(items, depth)
  }

  /** Replaces a branch with one child left by that child. */
  #collapse(node: Branch, depth: number): Leaf | Branch | undefined {
    let only = -1
    for (let i = 0; i <= terminal; i++) {
      if (!node.has(i)) continue
      if (only >= 0) return node
      only = i
    }
    if (only < 0) {
      if (node.stored) this.#remove(depth)
      return undefined
    }
    const at = depth + node.extension.length
    this.#path.set(node.extension, depth)
    this.#path[at] = only
    const child = node.child(only) ?? this.#loadChild(node, only, at + 1)
    if (child !== undefined) this.#onMerge?.(child, at + 1)
    if (child instanceof Leaf) {
      if (node.stored) this.#remove(depth)
      return child
    }
    if (child === undefined) throw new Error('a branch refers to a row that is missing')
    if (child.stored) this.#remove(at + 1)
    const extension = new Uint8Array(node.extension.length + 1 + child.extension.length)
    extension.set(node.extension)
    extension[node.extension.length] = only
    extension.set(child.extension, node.extension.length + 1)
    child.extension = extension
    child.isChanged = true
    child.stored = node.stored
    return child
  }

  #build(items: readonly Leaf[], depth: number, low = 0, high = items.length): Leaf | Branch | undefined {
    if (high - low < 2) return items[low]
    const first = this.#pathOf(items[low] as Leaf)
    const last = this.#pathOf(items[high - 1] as Leaf)
    const longest = Math.min(first.length, last.length) * 2
    let at = depth
    while (at < longest && nibble(first, at) === nibble(last, at)) at++
    const branch = new Branch(at === depth ? emptyBytes : nibbles(first, depth, at))
    for (let start = low; start < high; ) {
      const index = childIndex(this.#pathOf(items[start] as Leaf), at)
      let end = start + 1
      while (end < high && childIndex(this.#pathOf(items[end] as Leaf), at) === index) end++
      branch.setChild(index, this.#build(items, at + 1, start, end))
      start = end
    }
    return branch
  }

  #insertions(low: number, high: number): Leaf[] {
    const items: Leaf[] = []
    for (let i = low; i < high; i++) {
      const { key, path, value } = this.#change(i)
      if (value) items.push(new Leaf(key, path, value))
    }
    return items
  }

  /** Returns how many nibbles of an extension that starts at `depth` the change shares. */
  #shared(extension: Uint8Array, index: number, depth: number): number {
    const { path } = this.#change(index)
    const longest = Math.min(extension.length, path.length * 2 - depth)
    let count = 0
    while (count < longest && extension[count] === nibble(path, depth + count)) count++
    return count
  }

  #loadChild(node: Branch, index: number, depth: number): Leaf | Branch | undefined {
    if (!node.isNode(index)) return undefined
    const child = this.#load(depth)
    if (!(child instanceof Branch)) throw new Error('a branch refers to a row that is missing')
    node.setLoaded(index, child)
    return child
  }

  #load(depth: number): Leaf | Branch | undefined {
    const stored = this.#source.stored(this.#path.subarray(0, depth))
    return stored && decodeNode(stored, this.#source.rowAt)
  }

  #remove(depth: number): void {
    const path = this.#path.slice(0, depth)
    this.removed.set(pathKey(path), path)
  }

  #change(index: number): TrieChange {
    return this.#changes[index] as TrieChange
  }

  #pathOf(leaf: Leaf): Uint8Array {
    leaf.path ??= this.#source.path(leaf.key)
    return leaf.path
  }
}

export const pathKey = (path: Uint8Array): string => Buffer.from(path).toString('latin1')

const nibbles = (path: Uint8Array, start: number, end: number): Uint8Array => {
  const list = new Uint8Array(end - start)
  for (let i = start; i < end; i++) list[i - start] = nibble(path, i)
  return list
}

const childIndex = (path: Uint8Array, at: number): number =>
  at === path.length * 2 ? terminal : nibble(path, at)

/** Returns a branch that leaves the extension after `at` nibbles, with the old one below it. */
const splitExtension = (node: Branch, at: number): Branch => {
  const upper = new Branch(node.extension.slice(0, at))
  upper.stored = node.stored
  const index = node.extension[at] as number
  node.extension = node.extension.slice(at + 1)
  node.stored = undefined
  node.isChanged = true
  upper.setChild(index, node)
  return upper
}
