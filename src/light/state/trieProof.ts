import { keccak256 } from '../../base/crypto/crypto.ts'
import { equalBytes } from '../../base/encoding/bytes.ts'
import { assertItemCount, decodeRlp, encodedLength, RlpError, type RlpItem } from '../../base/encoding/rlp.ts'
import { emptyTrieRoot, nibble } from '../../chain/block/trieRoot.ts'
import { ProofError } from './proofFields.ts'

/** All keys are hashes, of 64 nibbles. */
const pathNibbles = 64
/** A branch at each nibble, and a leaf. */
const maxNodes = pathNibbles + 1
/** The largest node is a branch with 16 hashes, of 532 bytes. */
const maxNodeBytes = 600
const maxListBytes = maxNodes * (maxNodeBytes + 3) + 4
const branchItems = 17

type List = readonly RlpItem[]

/** Runs what decodes; what cannot be decoded proves nothing. */
export const decoded = <T>(decode: () => T): T => {
  try {
    return decode()
  } catch (error) {
    if (error instanceof RlpError) throw new ProofError(error.message)
    throw error
  }
}

/** Decodes a list of nodes. */
export const decodeTrieNodes = (data: Uint8Array): readonly Uint8Array[] => {
  if (data.length > maxListBytes) throw new ProofError('it is too long')
  return decoded(() => {
    assertItemCount(data, maxNodes + 1)
    const nodes = decodeRlp(data)
    if (nodes instanceof Uint8Array) throw new ProofError('it is not a list of nodes')
    return nodes.map((node) => {
      if (node instanceof Uint8Array) return node
      throw new ProofError('it has an invalid node')
    })
  })
}

/** The part of a path that a leaf or an extension has (yellow paper, appendix C). */
class CompactPath {
  readonly isLeaf: boolean
  readonly #bytes: Uint8Array
  /** Where the nibbles begin: behind the mark, and behind a zero if their number is even. */
  readonly #from: number

  constructor(bytes: Uint8Array) {
    const mark = bytes[0]
    if (mark === undefined || mark >= 0x40 || ((mark & 0x10) === 0 && (mark & 15) !== 0))
      throw new ProofError('it has an invalid path')
    this.isLeaf = (mark & 0x20) !== 0
    this.#bytes = bytes
    this.#from = mark & 0x10 ? 1 : 2
  }

  get length(): number {
    return this.#bytes.length * 2 - this.#from
  }

  isAt(path: Uint8Array, depth: number): boolean {
    for (let index = 0; index < this.length; index++)
      if (nibble(this.#bytes, this.#from + index) !== nibble(path, depth + index)) return false
    return true
  }
}

/** Reads nodes from the root down. Each must be the one that the node above names, and all are needed. */
class NodeReader {
  readonly #nodes: readonly Uint8Array[]
  #used = 0

  constructor(nodes: readonly Uint8Array[]) {
    this.#nodes = nodes
  }

  /** Returns the node to which a reference leads: a hash, or the whole node if that is shorter than a hash. */
  follow(reference: RlpItem): List {
    if (!(reference instanceof Uint8Array)) {
      if (encodedLength(reference) >= 32)
        throw new ProofError('it has a node within another that is too long')
      return reference
    }
    if (reference.length !== 32) throw new ProofError('it has an invalid reference')
    const node = this.#nodes[this.#used++]
    if (node === undefined) throw new ProofError('it ends before the key')
    if (!equalBytes(keccak256(node), reference))
      throw new ProofError(this.#used === 1 ? 'it leads to another root' : 'it has a node of another trie')
    const list = decodeRlp(node)
    if (list instanceof Uint8Array) throw new ProofError('it has an invalid node')
    return list
  }

  finish<T>(found: T): T {
    if (this.#used !== this.#nodes.length) throw new ProofError('it has nodes that prove nothing')
    return found
  }
}

const asBytes = (item: RlpItem | undefined): Uint8Array => {
  if (item instanceof Uint8Array) return item
  throw new ProofError('it has an invalid node')
}

const isNothing = (item: RlpItem | undefined): boolean => item?.length === 0 && item instanceof Uint8Array

/** Where a walk through a trie gets the nodes from. */
export interface TrieNodes {
  follow(reference: RlpItem): readonly RlpItem[]
}

/** Returns what a trie has at a path; undefined where the path ends before. */
export const walkTrie = (root: Uint8Array, path: Uint8Array, reader: TrieNodes): Uint8Array | undefined => {
  let node = reader.follow(root)
  for (let depth = 0; ; ) {
    if (node.length === branchItems) {
      if (depth >= pathNibbles) throw new ProofError('it is longer than the key')
      // No key is the beginning of another.
      if (!isNothing(node[branchItems - 1])) throw new ProofError('it has a branch with a value')
      const child = node[nibble(path, depth)] as RlpItem
      if (isNothing(child)) return undefined
      node = reader.follow(child)
      depth++
      continue
    }
    if (node.length !== 2) throw new ProofError('it has an invalid node')
    const part = new CompactPath(asBytes(node[0]))
    const end = depth + part.length
    if (part.isLeaf) {
      if (end !== pathNibbles) throw new ProofError('it has a leaf of another length')
      const value = asBytes(node[1])
      if (value.length === 0) throw new ProofError('it has a leaf without a value')
      return part.isAt(path, depth) ? value : undefined
    }
    if (part.length === 0 || end >= pathNibbles) throw new ProofError('it has an extension of another length')
    if (!part.isAt(path, depth)) return undefined
    node = reader.follow(node[1] as RlpItem)
    if (node.length !== branchItems) throw new ProofError('it has an extension without a branch')
    depth = end
  }
}

/**
 * Returns what a trie with this root has at a path, which is a hash; undefined if it is proven that there is nothing. Throws a
 * `ProofError` if the nodes do not prove either, or if there are more than that needs.
 */
export const readTrieProof = (
  root: Uint8Array,
  path: Uint8Array,
  nodes: readonly Uint8Array[],
): Uint8Array | undefined => {
  if (nodes.length > maxNodes) throw new ProofError('it has too many nodes')
  if (nodes.some(({ length }) => length > maxNodeBytes))
    throw new ProofError('it has a node that is too long')
  // A trie without anything has no node that could show it.
  if (nodes.length === 0 && equalBytes(root, emptyTrieRoot)) return undefined
  const reader = new NodeReader(nodes)
  return decoded(() => reader.finish(walkTrie(root, path, reader)))
}
