import { sha256 } from '../../base/crypto/crypto.ts'
import { equalBytes } from '../../base/encoding/bytes.ts'
import { encodeVarint } from '../../base/encoding/protobuf/protoWriter.ts'
import { ProofError, ProofFields, readProofNumber } from './proofFields.ts'

/** The way from a leaf of a tree to its root (ICS-23). */
export interface ExistenceProof {
  readonly key: Uint8Array
  readonly value: Uint8Array
  readonly leafPrefix: Uint8Array
  /** From the leaf up. */
  readonly path: readonly Step[]
}

interface Step {
  readonly prefix: Uint8Array
  readonly suffix: Uint8Array
}

/** On which side of its parent a node is. */
export type Side = 'left' | 'right'

/** A kind of trees. Only what nodes of the tree can be is hashed, so that no bytes are a leaf to one and an inner node to another. */
export interface TreeSpec {
  /** Throws a `ProofError` unless it is the prefix of a leaf. */
  readonly assertLeaf: (prefix: Uint8Array) => void
  /** Returns the side of the child in an inner node and the height of that node. Throws a `ProofError` for any other node. */
  readonly sideOf: (step: Step, childHeight: number) => { readonly side: Side; readonly height: number }
}

/** The highest tree: of AVL trees one with this height would have 2^60 leaves at least. */
const maxPath = 96
const hashBytes = 32
const sha256Op = 1n
const varProto = 1n

const isByte = (bytes: Uint8Array, byte: number): boolean => bytes.length === 1 && bytes[0] === byte

/** CometBFT's tree, by whose root the multistore commits to its stores. */
export const simpleTree: TreeSpec = {
  assertLeaf: (prefix) => {
    if (!isByte(prefix, 0)) throw new ProofError('it has an invalid leaf')
  },
  sideOf: ({ prefix, suffix }, childHeight) => {
    const height = childHeight + 1
    if (prefix[0] !== 1) throw new ProofError('it has an invalid inner node')
    if (prefix.length === 1 && suffix.length === hashBytes) return { side: 'left', height }
    if (prefix.length === 1 + hashBytes && suffix.length === 0) return { side: 'right', height }
    throw new ProofError('it has an inner node of a wrong size')
  },
}

/** Reads height, size and version, with which each node of an IAVL tree begins: zigzag integers. */
const readIavlNode = (prefix: Uint8Array): { readonly height: number; readonly size: number; at: number } => {
  const [height, afterHeight] = readProofNumber(prefix, 0)
  const [size, afterSize] = readProofNumber(prefix, afterHeight)
  const [version, at] = readProofNumber(prefix, afterSize)
  if (height % 2 !== 0 || size % 2 !== 0 || version % 2 !== 0)
    throw new ProofError('it has a node with a negative number')
  return { height: height / 2, size: size / 2, at }
}

/** The tree of a store. */
export const iavlTree: TreeSpec = {
  assertLeaf: (prefix) => {
    const { height, size, at } = readIavlNode(prefix)
    if (height !== 0 || size !== 1 || at !== prefix.length) throw new ProofError('it has an invalid leaf')
  },
  sideOf: ({ prefix, suffix }, childHeight) => {
    const { height, size, at } = readIavlNode(prefix)
    if (height <= childHeight || size < 2) throw new ProofError('it has an invalid inner node')
    const hashes = prefix.subarray(at)
    const sibling = 1 + hashBytes
    if (isByte(hashes, hashBytes) && suffix.length === sibling && suffix[0] === hashBytes)
      return { side: 'left', height }
    const isRight = hashes.length === sibling + 1 && hashes[0] === hashBytes && hashes[sibling] === hashBytes
    if (isRight && suffix.length === 0) return { side: 'right', height }
    throw new ProofError('it has an inner node of a wrong size')
  },
}

/** Decodes ICS-23's `ExistenceProof`. */
export const decodeExistence = (bytes: Uint8Array): ExistenceProof => {
  const fields = new ProofFields(bytes, maxPath + 3)
  const leaf = new ProofFields(fields.bytes(3), 5)
  // Both trees hash alike: SHA-256 of the prefix, the key and SHA-256 of the value, with their lengths.
  const isKnown =
    leaf.integer(1) === sha256Op &&
    leaf.integer(2) === 0n &&
    leaf.integer(3) === sha256Op &&
    leaf.integer(4) === varProto
  if (!isKnown) throw new ProofError('it hashes leaves in another way')
  const path = fields.list(4).map((step) => {
    const inner = new ProofFields(step, 3)
    if (inner.integer(1) !== sha256Op) throw new ProofError('it hashes nodes in another way')
    return { prefix: inner.bytes(2), suffix: inner.bytes(3) }
  })
  const key = fields.bytes(1)
  if (key.length === 0) throw new ProofError('it has a leaf without a key')
  // A value may be empty: the SDK's indexes are keys alone, and such a leaf may be the neighbour of a missing key.
  return { key, value: fields.bytes(2), leafPrefix: leaf.bytes(5), path }
}

/** Returns the root to which a proof leads, and on which side of its parent each node on the way is. */
export const climb = (
  { key, value, leafPrefix, path }: ExistenceProof,
  { assertLeaf, sideOf }: TreeSpec,
): { readonly root: Uint8Array; readonly sides: readonly Side[] } => {
  assertLeaf(leafPrefix)
  let height = 0
  const sides = path.map((step) => {
    const found = sideOf(step, height)
    height = found.height
    return found.side
  })
  const lengthOf = (bytes: Uint8Array): Uint8Array => encodeVarint(BigInt(bytes.length))
  const valueHash = sha256(value)
  let root = sha256(leafPrefix, lengthOf(key), key, lengthOf(valueHash), valueHash)
  for (const { prefix, suffix } of path) root = sha256(prefix, root, suffix)
  return { root, sides }
}

/** Returns how many steps from the root on are the same on two ways. */
export const commonSteps = (one: ExistenceProof, other: ExistenceProof): number => {
  const most = Math.min(one.path.length, other.path.length)
  for (let count = 0; count < most; count++) {
    const [a, b] = [one.path.at(-1 - count), other.path.at(-1 - count)]
    const isSame = a && b && equalBytes(a.prefix, b.prefix) && equalBytes(a.suffix, b.suffix)
    if (!isSame) return count
  }
  return most
}
