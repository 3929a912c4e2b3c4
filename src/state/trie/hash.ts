import { digest, encodeBranch, hashScratch, reserve, scratch } from './nodeBytes.ts'
import { writeBranch, writeExtension, writeLeaf } from './nodeRlp.ts'
import { Branch, Leaf, terminal } from './trieNode.ts'
import type { TrieSource } from './update.ts'

/** Receives the rows of changed branches, parents before children, in the order of their paths. */
export interface RowSink {
  /** Reserves a position in the order, before the row is known. */
  reserve(): number
  branch(position: number, path: Uint8Array, row: Branch): void
}

/** Encodes and hashes every stale node under a root once, bottom up. */
export class TrieHasher {
  readonly #source: TrieSource
  readonly #sink: RowSink
  readonly #path = new Uint8Array(600)

  constructor(source: TrieSource, sink: RowSink) {
    this.#source = source
    this.#sink = sink
  }

  root(node: Leaf | Branch): Uint8Array {
    hashScratch(node instanceof Leaf ? this.#encodeLeaf(node, 0) : this.#finish(node, 0))
    return digest.slice()
  }

  /** Writes the trie node's encoding to the scratch buffer and returns its length. */
  #finish(branch: Branch, depth: number): number {
    const position = this.#sink.reserve()
    const { extension } = branch
    for (let i = 0; i < extension.length; i++) this.#path[depth + i] = extension[i] as number
    const at = depth + extension.length
    const { stale } = branch
    for (let i = 0; i < terminal; i++) {
      if (!(stale & (1 << i))) continue
      this.#path[at] = i
      const child = branch.child(i)
      const length =
        child instanceof Branch ? this.#finish(child, at + 1) : this.#encodeLeaf(child as Leaf, at + 1)
      setReference(branch, i, length)
    }
    const ending = branch.child(terminal)
    this.#sink.branch(position, this.#path.subarray(0, depth), branch)
    const value = ending instanceof Leaf ? this.#valueOf(ending) : undefined
    reserve(1024 + extension.length + (value?.length ?? 0))
    const length = value === undefined ? encodeBranch(branch.refs) : writeBranch(scratch, branch, value)
    if (extension.length === 0) return length
    if (length >= 32) hashScratch(length)
    return writeExtension(scratch, extension, length < 32 ? scratch.slice(0, length) : digest)
  }

  #encodeLeaf(leaf: Leaf, depth: number): number {
    leaf.path ??= this.#source.path(leaf.key)
    const value = this.#valueOf(leaf)
    reserve(1024 + leaf.path.length + value.length)
    return writeLeaf(scratch, leaf.path, depth, value)
  }

  #valueOf(leaf: Leaf): Uint8Array {
    return leaf.value ?? this.#source.value(leaf.key)
  }
}

const setReference = (branch: Branch, index: number, length: number): void => {
  if (length >= 32) hashScratch(length)
  branch.setRef(index, length < 32 ? scratch : digest, Math.min(length, 32))
}
