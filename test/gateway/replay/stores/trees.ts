import { sha256 } from '../block/comet.ts'
import { join, nested, uint } from '../wire.ts'

/** Trees of stores and their ICS-23 proofs, made apart from the gateway's code that checks them. */

export interface Leaf {
  readonly key: Uint8Array
  readonly value: Uint8Array
}

interface Node {
  readonly hash: Uint8Array
  readonly height: number
  readonly size: number
  readonly version: number
  readonly leaf?: Leaf
  readonly children?: readonly [Node, Node]
}

export interface Tree {
  readonly root: Uint8Array
  /** Returns a `CommitmentProof` that the key is there, or is not. */
  prove(key: Uint8Array): Uint8Array
  /** Returns the `ExistenceProof` of the leaf with this index. */
  existence(index: number): Uint8Array
  readonly leaves: readonly Leaf[]
}

const plain = (value: number): Uint8Array => {
  const bytes: number[] = []
  let rest = value
  for (; rest >= 128; rest = Math.floor(rest / 128)) bytes.push((rest % 128) | 128)
  bytes.push(rest)
  return Uint8Array.from(bytes)
}
const zigzag = (value: number): Uint8Array => plain(value * 2)

const leafOp = (prefix: Uint8Array): Uint8Array => join(uint(1, 1), uint(3, 1), uint(4, 1), nested(5, prefix))
const leafHash = (prefix: Uint8Array, { key, value }: Leaf): Uint8Array =>
  sha256(join(prefix, plain(key.length), key, plain(32), sha256(value)))
const innerOp = (prefix: Uint8Array, suffix: Uint8Array): Uint8Array =>
  join(uint(1, 1), nested(2, prefix), ...(suffix.length === 0 ? [] : [nested(3, suffix)]))

export const existenceProof = (leaf: Leaf, prefix: Uint8Array, path: readonly Uint8Array[]): Uint8Array =>
  join(
    nested(1, leaf.key),
    nested(2, leaf.value),
    nested(3, leafOp(prefix)),
    ...path.map((op) => nested(4, op)),
  )

export const exists = (proof: Uint8Array): Uint8Array => nested(1, proof)
export const isMissing = (
  key: Uint8Array,
  left: Uint8Array | undefined,
  right: Uint8Array | undefined,
): Uint8Array =>
  nested(2, join(nested(1, key), ...(left ? [nested(2, left)] : []), ...(right ? [nested(3, right)] : [])))

const iavlPrefix = ({ height, size, version }: Omit<Node, 'hash'>): Uint8Array =>
  join(zigzag(height), zigzag(size), zigzag(version))

const byteOf32 = Uint8Array.of(32)

/** An IAVL tree. Versions of its nodes are up to `version`. */
export const iavlTreeOf = (unsorted: readonly Leaf[], version: number): Tree => {
  const leaves = [...unsorted].sort((a, b) => Buffer.compare(a.key, b.key))
  const build = (from: number, to: number): Node => {
    if (to - from === 1) {
      const leaf = leaves[from] as Leaf
      const node = { height: 0, size: 1, version: 1 + ((leaf.key.at(-1) ?? 0) % version), leaf }
      return { ...node, hash: leafHash(iavlPrefix(node), leaf) }
    }
    const middle = from + Math.ceil((to - from) / 2)
    const children = [build(from, middle), build(middle, to)] as const
    const height = Math.max(children[0].height, children[1].height) + 1
    const node = { height, size: to - from, version, children }
    const [left, right] = children
    return { ...node, hash: sha256(join(iavlPrefix(node), byteOf32, left.hash, byteOf32, right.hash)) }
  }
  const root = leaves.length === 0 ? undefined : build(0, leaves.length)
  const existence = (index: number): Uint8Array => {
    const path: Uint8Array[] = []
    let node = root as Node
    let first = 0
    while (node.children) {
      const [left, right] = node.children
      const isLeft = index < first + left.size
      const prefix = iavlPrefix(node)
      path.unshift(
        isLeft
          ? innerOp(join(prefix, byteOf32), join(byteOf32, right.hash))
          : innerOp(join(prefix, byteOf32, left.hash, byteOf32), new Uint8Array(0)),
      )
      if (!isLeft) first += left.size
      node = isLeft ? left : right
    }
    return existenceProof(node.leaf as Leaf, iavlPrefix(node), path)
  }
  return {
    root: root?.hash ?? sha256(new Uint8Array(0)),
    leaves,
    existence,
    prove: (key) => {
      const after = leaves.findIndex((leaf) => Buffer.compare(leaf.key, key) >= 0)
      const next = after < 0 ? leaves.length : after
      const found = leaves[next]
      if (found && Buffer.compare(found.key, key) === 0) return exists(existence(next))
      const left = next > 0 ? existence(next - 1) : undefined
      return isMissing(key, left, next < leaves.length ? existence(next) : undefined)
    },
  }
}

/** The tree of a multistore: CometBFT's, over names of stores and their roots. */
export const simpleTreeOf = (unsorted: readonly Leaf[]): Tree => {
  const leaves = [...unsorted].sort((a, b) => Buffer.compare(a.key, b.key))
  const zero = Uint8Array.of(0)
  const one = Uint8Array.of(1)
  const leftOf = (count: number): number => 2 ** Math.floor(Math.log2(count - 1))
  const rootOf = (from: number, to: number): Uint8Array => {
    if (to - from === 1) return leafHash(zero, leaves[from] as Leaf)
    const middle = from + leftOf(to - from)
    return sha256(join(one, rootOf(from, middle), rootOf(middle, to)))
  }
  const existence = (index: number): Uint8Array => {
    const path: Uint8Array[] = []
    let [from, to] = [0, leaves.length]
    while (to - from > 1) {
      const middle = from + leftOf(to - from)
      const isLeft = index < middle
      path.unshift(
        isLeft
          ? innerOp(one, rootOf(middle, to))
          : innerOp(join(one, rootOf(from, middle)), new Uint8Array(0)),
      )
      if (isLeft) to = middle
      else from = middle
    }
    return existenceProof(leaves[index] as Leaf, zero, path)
  }
  return {
    root: rootOf(0, leaves.length),
    leaves,
    existence,
    prove: (key) => exists(existence(leaves.findIndex((leaf) => Buffer.compare(leaf.key, key) === 0))),
  }
}
