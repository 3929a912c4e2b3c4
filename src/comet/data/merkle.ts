import { sha256 } from '../../base/crypto/crypto.ts'

const leafPrefix = Uint8Array.of(0)
const innerPrefix = Uint8Array.of(1)

/** Returns how many of `count` leaves are in the left subtree: the largest power of two below `count`. */
const leftOf = (count: number): number => 1 << (31 - Math.clz32(count - 1))

const rootOf = (leaves: readonly Uint8Array[], from: number, to: number): Uint8Array => {
  if (to - from === 1) return leaves[from] as Uint8Array
  const middle = from + leftOf(to - from)
  return sha256(innerPrefix, rootOf(leaves, from, middle), rootOf(leaves, middle, to))
}

/** Returns the leaf of an item. */
export const merkleLeaf = (item: Uint8Array): Uint8Array => sha256(leafPrefix, item)

/** Returns CometBFT's Merkle root of leaves. */
export const merkleRootOfLeaves = (leaves: readonly Uint8Array[]): Uint8Array =>
  leaves.length === 0 ? sha256() : rootOf(leaves, 0, leaves.length)

/** Returns CometBFT's Merkle root of a list (RFC 6962): leaves and inner nodes are hashed with different prefixes. */
export const merkleRoot = (items: readonly Uint8Array[]): Uint8Array =>
  merkleRootOfLeaves(items.map(merkleLeaf))
