import { createMPT, MerklePatriciaTrie } from '@ethereumjs/mpt'
import { RLP } from '@ethereumjs/rlp'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { keccak256 } from '../../base/crypto/crypto.ts'
import { toHex } from '../../base/encoding/hex.ts'
import { emptyTrieRoot, listRoot, trieRoot } from './trieRoot.ts'

const reference = async (pairs: readonly (readonly [Uint8Array, Uint8Array])[]): Promise<string> => {
  const trie = await createMPT()
  for (const [key, value] of pairs) await trie.put(key, value)
  return toHex(trie.root())
}

const unique = (key: fc.Arbitrary<Uint8Array>, maxLength: number) =>
  fc.uniqueArray(fc.tuple(key, fc.uint8Array({ minLength: 1, maxLength: 80 })), {
    maxLength,
    selector: ([bytes]) => toHex(bytes),
  })

describe('trieRoot', () => {
  it('is the known root when empty', () => {
    expect(toHex(emptyTrieRoot)).toBe('0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421')
    expect(trieRoot([])).toEqual(emptyTrieRoot)
    expect(trieRoot([[Uint8Array.of(1), new Uint8Array(0)]])).toEqual(emptyTrieRoot)
  })

  it('agrees with @ethereumjs/mpt where keys are prefixes of each other', async () => {
    const byte = fc.constantFrom(0x00, 0x01, 0x10, 0x11)
    const key = fc.array(byte, { minLength: 1, maxLength: 4 }).map((bytes) => Uint8Array.from(bytes))
    await fc.assert(
      fc.asyncProperty(unique(key, 30), async (pairs) => {
        expect(toHex(trieRoot(pairs))).toBe(await reference(pairs))
      }),
    )
  })

  it('agrees with @ethereumjs/mpt over hashed keys', async () => {
    const key = fc.integer({ min: 0, max: 1e6 }).map((n) => keccak256(Buffer.from(String(n))))
    await fc.assert(
      fc.asyncProperty(unique(key, 120), async (pairs) => {
        expect(toHex(trieRoot(pairs))).toBe(await reference(pairs))
      }),
      { numRuns: 20 },
    )
  })

  it('keys lists by the RLP of the index', async () => {
    for (const size of [1, 2, 16, 127, 128, 129, 300]) {
      const values = Array.from({ length: size }, (_, index) => new Uint8Array((index % 60) + 1).fill(index))
      const trie = new MerklePatriciaTrie()
      for (const [index, value] of values.entries()) await trie.put(RLP.encode(index), value)
      expect(toHex(listRoot(values)), `${size} values`).toBe(toHex(trie.root()))
    }
  })

  it('rejects two values for one key', () => {
    const key = Uint8Array.of(7)
    expect(() =>
      trieRoot([
        [key, Uint8Array.of(1)],
        [key, Uint8Array.of(2)],
      ]),
    ).toThrow('two values')
  })
})
