import { type NestedUint8Array, RLP } from '@ethereumjs/rlp'
import { concatBytes, emptyBytes } from '../../../../src/base/encoding/bytes.ts'
import { compact, keccak } from './signing.ts'

/** The root of a trie over a list, keyed by index, as a block's transactions and receipts have it. */

type Node = Uint8Array | NestedUint8Array
interface Leaf {
  readonly path: readonly number[]
  readonly value: Uint8Array
}

const nibblesOf = (bytes: Uint8Array): number[] => [...bytes].flatMap((byte) => [byte >> 4, byte & 15])

const packPath = (path: readonly number[], isLeaf: boolean): Uint8Array => {
  const mark = (isLeaf ? 2 : 0) + (path.length % 2)
  const nibbles = path.length % 2 === 0 ? [mark, 0, ...path] : [mark, ...path]
  return Buffer.from(nibbles.map((nibble) => nibble.toString(16)).join(''), 'hex')
}

const build = (leaves: readonly Leaf[], depth: number): Node => {
  const [first] = leaves
  if (first === undefined) return emptyBytes
  if (leaves.length === 1) return [packPath(first.path.slice(depth), true), first.value]
  let shared = depth
  while (leaves.every(({ path }) => shared < path.length && path[shared] === first.path[shared])) shared++
  if (shared > depth)
    return [packPath(first.path.slice(depth, shared), false), reference(build(leaves, shared))]
  const children = Array.from({ length: 16 }, (_, nibble) =>
    reference(
      build(
        leaves.filter(({ path }) => path[depth] === nibble),
        depth + 1,
      ),
    ),
  )
  // No key here is the beginning of another one, so that a branch has no value.
  return [...children, emptyBytes]
}

const reference = (node: Node): Node => {
  if (node instanceof Uint8Array) return node
  const encoded = RLP.encode(node)
  return encoded.length < 32 ? node : keccak(encoded)
}

export const orderedRoot = (values: readonly Uint8Array[]): Uint8Array => {
  const leaves = values.map((value, index) => ({
    path: nibblesOf(RLP.encode(compact(BigInt(index)))),
    value,
  }))
  return keccak(RLP.encode(build(leaves, 0)))
}

export const emptyRoot: Uint8Array = orderedRoot([])

/** A trie over the hashes of its keys, with proofs: nodes from the root on, those within others left out. */
export interface Trie {
  readonly root: Uint8Array
  prove(key: Uint8Array): readonly Uint8Array[]
}

export const trieOf = (
  entries: readonly { readonly key: Uint8Array; readonly value: Uint8Array }[],
): Trie => {
  const leaves = entries.map(({ key, value }) => ({ path: nibblesOf(keccak(key)), value }))
  const root = build(leaves, 0)
  const prove = (key: Uint8Array): readonly Uint8Array[] => {
    if (leaves.length === 0) return []
    const path = nibblesOf(keccak(key))
    const nodes = [RLP.encode(root)]
    for (let depth = 0; ; ) {
      const below = leaves.filter((leaf) =>
        path.slice(0, depth).every((nibble, at) => leaf.path[at] === nibble),
      )
      const [first] = below
      if (first === undefined) return nodes
      const node = build(below, depth)
      const encoded = RLP.encode(node)
      if (depth > 0 && encoded.length >= 32) nodes.push(encoded)
      if (below.length === 1) return nodes
      let shared = depth
      while (below.every((leaf) => leaf.path[shared] === first.path[shared])) shared++
      if (shared > depth) {
        const branch = RLP.encode(build(below, shared))
        if (first.path.slice(depth, shared).some((nibble, at) => path[depth + at] !== nibble)) return nodes
        if (branch.length >= 32) nodes.push(branch)
      }
      depth = shared + 1
    }
  }
  return { root: keccak(RLP.encode(root)), prove }
}

export const bloomOf = (
  entries: readonly { address: Uint8Array; topics: readonly Uint8Array[] }[],
): Uint8Array => {
  const bloom = Buffer.alloc(256)
  for (const { address, topics } of entries)
    for (const item of [address, ...topics]) {
      const digest = Buffer.from(keccak(item))
      for (const at of [0, 2, 4]) {
        const bit = digest.readUInt16BE(at) & 2047
        const byte = 255 - (bit >> 3)
        bloom.writeUInt8(bloom.readUInt8(byte) | (1 << (bit & 7)), byte)
      }
    }
  return bloom
}

/** A receipt as the trie has it. */
export const encodeReceipt = (
  type: number,
  success: boolean,
  cumulativeGas: bigint,
  logs: readonly { address: Uint8Array; topics: readonly Uint8Array[]; data: Uint8Array }[],
): Uint8Array => {
  const fields = RLP.encode([
    success ? Uint8Array.of(1) : emptyBytes,
    compact(cumulativeGas),
    bloomOf(logs),
    logs.map(({ address, topics, data }) => [address, [...topics], data]),
  ])
  return type === 0 ? fields : concatBytes(Uint8Array.of(type), fields)
}
