import { keccak256 } from '../../base/crypto/crypto.ts'
import { compareBytes, equalBytes } from '../../base/encoding/bytes.ts'
import { decodeHex } from '../../base/encoding/hex.ts'
import { encodeRlp, encodeRlpList } from '../../base/encoding/rlp.ts'

type Pair = readonly [key: Uint8Array, value: Uint8Array]

const emptyString = Uint8Array.of(0x80)

/** The root of an empty trie. */
export const emptyTrieRoot: Uint8Array = keccak256(emptyString)

/** Returns a nibble of a key. */
export const nibble = (key: Uint8Array, at: number): number => {
  const byte = key[at >> 1] as number
  return at & 1 ? byte & 15 : byte >> 4
}

/** Returns the hex-prefix encoding of the nibbles `from` to `to` (yellow paper, appendix C). */
const compactPath = (key: Uint8Array, from: number, to: number, isLeaf: boolean): Uint8Array => {
  const odd = (to - from) & 1
  const path = new Uint8Array(1 + ((to - from) >> 1))
  path[0] = (isLeaf ? 0x20 : 0) | (odd ? 0x10 | nibble(key, from) : 0)
  for (let at = from + odd, index = 1; at < to; at += 2, index++)
    path[index] = (nibble(key, at) << 4) | nibble(key, at + 1)
  return path
}

/**
 * Returns a trie node as its parent holds it: the node if it is shorter than a hash, otherwise its hash as a
 * string.
 */
const reference = (node: Uint8Array): Uint8Array => (node.length < 32 ? node : encodeRlp(keccak256(node)))

/** Encodes the trie node over the sorted pairs `from` to `to`, which agree in their first `depth` nibbles. */
const encodeNode = (pairs: readonly Pair[], from: number, to: number, depth: number): Uint8Array => {
  const [first, value] = pairs[from] as Pair
  const length = first.length * 2
  if (to - from === 1) return encodeRlp([compactPath(first, depth, length, true), value])

  const [last] = pairs[to - 1] as Pair
  const limit = Math.min(length, last.length * 2)
  let shared = depth
  while (shared < limit && nibble(first, shared) === nibble(last, shared)) shared++
  if (shared > depth) {
    const branch = reference(encodeNode(pairs, from, to, shared))
    return encodeRlpList([encodeRlp(compactPath(first, depth, shared, false)), branch])
  }

  const children: Uint8Array[] = new Array(17).fill(emptyString)
  let start = from
  if (length === depth) {
    children[16] = encodeRlp(value)
    start++
  }
  while (start < to) {
    const digit = nibble((pairs[start] as Pair)[0], depth)
    let end = start + 1
    while (end < to && nibble((pairs[end] as Pair)[0], depth) === digit) end++
    children[digit] = reference(encodeNode(pairs, start, end, depth + 1))
    start = end
  }
  return encodeRlpList(children)
}

/**
 * Returns the Merkle-Patricia root over distinct keys, in any order. A pair with an empty value is not in the
 * trie. Keys are not hashed: the caller hashes the keys of a state trie.
 */
export const trieRoot = (entries: Iterable<Pair>): Uint8Array => {
  const pairs = [...entries].filter(([, value]) => value.length > 0)
  if (pairs.length === 0) return emptyTrieRoot
  pairs.sort(([a], [b]) => compareBytes(a, b))
  for (let index = 1; index < pairs.length; index++)
    if (equalBytes((pairs[index - 1] as Pair)[0], (pairs[index] as Pair)[0]))
      throw new Error('two values for one key of a trie')
  return keccak256(encodeNode(pairs, 0, pairs.length, 0))
}

const indexKey = (index: number): Uint8Array => {
  const digits = index.toString(16)
  return encodeRlp(
    index === 0 ? new Uint8Array(0) : decodeHex(digits.padStart(digits.length + (digits.length & 1), '0')),
  )
}

/** Returns the root over a block's transactions, receipts or withdrawals, each under the RLP of its index. */
export const listRoot = (values: readonly Uint8Array[]): Uint8Array =>
  trieRoot(values.map((value, index) => [indexKey(index), value] as const))
