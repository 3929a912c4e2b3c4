import { createMerkleProof, createMPT, type MerklePatriciaTrie, verifyMerkleProof } from '@ethereumjs/mpt'
import { describe, expect, it } from 'vitest'
import { createRandom, type Random } from '../../../test/support/random.ts'
import { keccak256 } from '../../base/crypto/crypto.ts'
import { emptyBytes } from '../../base/encoding/bytes.ts'
import { encodeRlp, type RlpInput } from '../../base/encoding/rlp.ts'
import { emptyTrieRoot } from '../../chain/block/trieRoot.ts'
import { ProofError } from './proofFields.ts'
import { decodeTrieNodes, readTrieProof } from './trieProof.ts'

/** Keys that begin alike have extensions above them, and those that differ in the last nibbles short nodes within others. */
const keysOf = (count: number, random: Random): Uint8Array[] => {
  const keys: Uint8Array[] = []
  while (keys.length < count) {
    const known = random.chance(0.5) ? keys.at(random.below(Math.max(1, keys.length))) : undefined
    const key = known === undefined ? random.bytes(32) : Uint8Array.from(known)
    const shared = random.pick([1, 8, 30, 31, 31])
    if (known !== undefined) key.set(random.bytes(32 - shared), shared)
    keys.push(key)
  }
  return keys
}

interface Example {
  readonly trie: MerklePatriciaTrie
  readonly root: Uint8Array
  readonly keys: readonly Uint8Array[]
}

const exampleOf = async (count: number, random: Random): Promise<Example> => {
  const trie = await createMPT()
  const keys = keysOf(count, random)
  for (const key of keys) await trie.put(key, random.bytes(random.chance(0.4) ? 1 : 1 + random.below(80)))
  return { trie, root: trie.root(), keys }
}

const missing = (keys: readonly Uint8Array[], random: Random): Uint8Array => {
  const key = Uint8Array.from(random.chance(0.7) && keys.length > 0 ? random.pick(keys) : random.bytes(32))
  const from = random.pick([0, 1, 16, 31])
  key.set(random.bytes(32 - from), from)
  return key
}

/** Returns a proof as nodes give it: @ethereumjs/mpt has nodes that are within others a second time. */
const proofOf = async (trie: MerklePatriciaTrie, key: Uint8Array): Promise<Uint8Array[]> =>
  (await createMerkleProof(trie, key)).filter((node, at) => at === 0 || node.length >= 32)

const refuses = (root: Uint8Array, path: Uint8Array, nodes: readonly Uint8Array[]): void =>
  expect(() => readTrieProof(root, path, nodes)).toThrow(ProofError)

describe('proofs of a trie', () => {
  it.each([0, 1, 2, 3, 5, 17, 60, 200])(
    'of %i keys are read as @ethereumjs/mpt reads them, whether the key is there or not',
    async (count) => {
      const random = createRandom(count + 1)
      const { trie, root, keys } = await exampleOf(count, random)
      const others = Array.from({ length: 40 }, () => missing(keys, random))
      let embedded = 0
      for (const key of [...keys, ...others]) {
        const proof = count === 0 ? [] : await proofOf(trie, key)
        const found = await trie.get(key)
        if (count > 0) expect(await verifyMerkleProof(key, proof, { root } as never)).toEqual(found)
        expect(readTrieProof(root, key, proof) ?? null).toEqual(found)
        const { stack } = await trie.findPath(key)
        if (stack.length > proof.length) embedded++
        // The store of a chain has the nodes in a list.
        expect(decodeTrieNodes(encodeRlp(proof))).toEqual(proof.map((node) => Uint8Array.from(node)))
      }
      if (count >= 17) expect(embedded).toBeGreaterThan(0)
    },
  )

  it('are rejected with any byte changed, left out or added', async () => {
    const random = createRandom(7)
    const { trie, root, keys } = await exampleOf(40, random)
    for (const key of [...keys.slice(0, 6), missing(keys, random), missing(keys, random)]) {
      const nodes = await proofOf(trie, key)
      for (const [at, node] of nodes.entries()) {
        for (let index = 0; index < node.length; index++) {
          const changed = Uint8Array.from(node)
          changed[index] = (changed[index] as number) ^ (1 + random.below(255))
          refuses(root, key, nodes.with(at, changed))
        }
        refuses(root, key, nodes.with(at, node.subarray(1)))
        refuses(root, key, nodes.with(at, node.subarray(0, -1)))
        refuses(root, key, nodes.with(at, Uint8Array.of(...node, 0)))
      }
    }
  })

  it('are rejected with nodes left out, doubled, exchanged or added', async () => {
    const random = createRandom(8)
    const { trie, root, keys } = await exampleOf(60, random)
    for (const key of [...keys.slice(0, 20), missing(keys, random)]) {
      const nodes = await proofOf(trie, key)
      for (const [at, node] of nodes.entries()) {
        refuses(root, key, nodes.toSpliced(at, 1))
        refuses(root, key, nodes.toSpliced(at, 0, node))
        if (at > 0) refuses(root, key, nodes.with(at, nodes[0] as Uint8Array).with(0, node))
      }
      refuses(root, key, [...nodes, nodes.at(-1) as Uint8Array])
      refuses(root, key, [...nodes, emptyBytes])
      refuses(root, key, [])
      refuses(keccak256(root), key, nodes)
    }
  })

  it('of one key prove nothing of another, or what is true', async () => {
    const random = createRandom(9)
    const { trie, root, keys } = await exampleOf(60, random)
    for (const key of keys) {
      const other = random.pick(keys)
      const nodes = await proofOf(trie, other)
      let read: Uint8Array | undefined
      try {
        read = readTrieProof(root, key, nodes)
      } catch (error) {
        expect(error).toBeInstanceOf(ProofError)
        continue
      }
      expect(read ?? null).toEqual(await trie.get(key))
    }
  })

  it('of nothing prove only that a trie without anything has nothing', () => {
    const key = new Uint8Array(32)
    expect(readTrieProof(emptyTrieRoot, key, [])).toBeUndefined()
    refuses(emptyTrieRoot, key, [Uint8Array.of(0x80)])
    refuses(emptyTrieRoot, key, [Uint8Array.of(0xc0)])
  })
})

/** Nodes that no trie of a state has, though hashes lead to them. */
describe('invalid nodes', () => {
  const path = new Uint8Array(32).fill(0x11)
  const value = new Uint8Array(40).fill(7)
  const branch = (children: readonly RlpInput[], own: RlpInput = emptyBytes): RlpInput[] => [
    ...Array.from({ length: 16 }, (_, at) => children[at] ?? emptyBytes),
    own,
  ]
  const rest = (nibbles: number, flag: number): Uint8Array => {
    const odd = nibbles % 2 === 1
    const packed = new Uint8Array(1 + (nibbles >> 1)).fill(0x11)
    packed[0] = flag | (odd ? 0x11 : 0)
    return packed
  }
  const leaf = (nibbles: number, own: RlpInput = value): RlpInput[] => [rest(nibbles, 0x20), own]
  /** Links nodes: each is made of the reference to the next one. */
  const chainOf = (last: RlpInput, ...above: readonly ((below: RlpInput) => RlpInput)[]) => {
    const nodes = [encodeRlp(last)]
    for (const make of above) {
      const [below] = nodes as [Uint8Array]
      nodes.unshift(encodeRlp(make(keccak256(below))))
    }
    return { root: keccak256(nodes[0] as Uint8Array), nodes }
  }
  const inBranch = (below: RlpInput): RlpInput => branch([emptyBytes, below])

  it('the ones they are made after are read', () => {
    const plain = chainOf(leaf(63), inBranch)
    expect(readTrieProof(plain.root, path, plain.nodes)).toEqual(value)
    const extended = chainOf(leaf(60), inBranch, (below) => [rest(3, 0), below])
    expect(readTrieProof(extended.root, path, extended.nodes)).toEqual(value)
    const short = chainOf(branch([emptyBytes, leaf(0, Uint8Array.of(5))]), ...Array(63).fill(inBranch))
    expect(short.nodes).toHaveLength(64)
    expect(readTrieProof(short.root, path, short.nodes)).toEqual(Uint8Array.of(5))
  })

  type Above = (below: RlpInput) => RlpInput
  const wrong: readonly (readonly [name: string, last: RlpInput, ...above: Above[]])[] = [
    ['a branch with a value', leaf(63), (below) => branch([emptyBytes, below], value)],
    ['a branch with a value, where the way ends', branch([], value)],
    ['a branch below the end of the key', branch([]), ...Array(64).fill(inBranch)],
    ['a leaf that is too short', leaf(62), inBranch],
    ['a leaf that is too long', leaf(64), inBranch],
    ['a leaf without a value', leaf(63, emptyBytes), inBranch],
    ['a leaf with a list for a value', leaf(63, [value]), inBranch],
    ['a leaf with a path that is a list', [[rest(63, 0x20)], value], inBranch],
    ['a leaf with an unknown mark', [rest(63, 0x60), value], inBranch],
    [
      'a leaf with an even path that does not begin with zero',
      [Uint8Array.of(0x23, ...rest(64, 0).subarray(1)), value],
    ],
    ['a leaf without a path', [emptyBytes, value], inBranch],
    ['an extension of nothing', leaf(63), inBranch, (below) => [rest(0, 0), below]],
    ['an extension to a leaf', leaf(61), (below) => [rest(3, 0), below]],
    [
      'an extension to an extension',
      leaf(58),
      inBranch,
      (below) => [rest(3, 0), below],
      (below) => [rest(2, 0), below],
    ],
    ['an extension over the whole key', branch([]), (below) => [rest(64, 0), below]],
    ['an extension to nothing', [rest(3, 0), emptyBytes]],
    ['a node of three', [rest(63, 0x20), value, value], inBranch],
    ['a node of nothing', [], inBranch],
    ['a node that is bytes', new Uint8Array(40), inBranch],
    ['a node within another that is too long', branch([emptyBytes, leaf(63)])],
    ['a reference that is too short', branch([emptyBytes, new Uint8Array(31)])],
    ['a reference that is too long', branch([emptyBytes, new Uint8Array(33)])],
  ]
  it.each(wrong.map((one) => ({ name: one[0], one })))('$name', ({ one: [, last, ...above] }) => {
    const { root, nodes } = chainOf(last, ...above)
    refuses(root, path, nodes)
  })

  it('too many, and too long ones, are rejected before they are hashed or decoded', () => {
    const huge = new Uint8Array(601)
    expect(() => readTrieProof(keccak256(huge), path, [huge])).toThrow('too long')
    const many = Array<Uint8Array>(66).fill(Uint8Array.of(0xc0))
    expect(() => readTrieProof(keccak256(many[0] as Uint8Array), path, many)).toThrow('too many')
    expect(() => decodeTrieNodes(encodeRlp(many))).toThrow('more than 66 items')
    expect(() => decodeTrieNodes(new Uint8Array(100_000))).toThrow('too long')
    expect(() => decodeTrieNodes(Uint8Array.of(0x05))).toThrow('not a list')
    expect(() => decodeTrieNodes(encodeRlp([[value]]))).toThrow(ProofError)
    expect(() => decodeTrieNodes(Uint8Array.of(0xc1))).toThrow(ProofError)
  })
})
