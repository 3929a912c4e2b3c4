import { iavlSpec, ics23, verifyMembership, verifyNonMembership } from '@confio/ics23'
import { describe, expect, it } from 'vitest'
import { Multistore } from '../../../test/gateway/replay/stores/multistore.ts'
import { iavlTreeOf, isMissing, type Leaf } from '../../../test/gateway/replay/stores/trees.ts'
import { readNativeFile } from '../../../test/support/nativeRecordings.ts'
import { createRandom } from '../../../test/support/random.ts'
import { emptyBytes } from '../../base/encoding/bytes.ts'
import { fromHex } from '../../base/encoding/hex.ts'
import { parseAbciQuery } from '../../comet/data/abciQuery.ts'
import type { ProvenValue } from '../../comet/data/nativeQuery.ts'
import { verifyStoreValue } from './storeProof.ts'

const random = createRandom(11)

const leavesOf = (count: number): readonly Leaf[] =>
  Array.from({ length: count }, (_, at) => ({
    key: Uint8Array.of(1, at * 2 + 1, ...random.bytes(3)),
    value: random.bytes(1 + random.below(40)),
  }))

const answer = (stores: Multistore, name: string, key: Uint8Array): ProvenValue => {
  const { value, proof } = stores.answer(name, key) ?? { value: emptyBytes, proof: '{"ops":[]}' }
  return parseAbciQuery(
    {
      response: {
        code: 0,
        value: Buffer.from(value).toString('base64'),
        height: '9',
        proofOps: JSON.parse(proof),
      },
    },
    9,
  )
}

const withInner = (proven: ProvenValue, data: Uint8Array): ProvenValue => ({
  ...proven,
  operations: proven.operations.map((operation, at) => (at === 0 ? { ...operation, data } : operation)),
})

describe('proofs of stores', () => {
  const others = leavesOf(3)

  it.each([0, 1, 2, 3, 5, 8, 13, 40])('proves each key and each gap of a store with %i keys', (count) => {
    const leaves = leavesOf(count)
    const stores = new Multistore({ acc: others, bank: leaves, evm: others }, 900)
    const { root } = stores.stores.get('bank') ?? { root: emptyBytes }
    for (let at = 0; at <= count; at++) {
      const gap = Uint8Array.of(1, at * 2, 7)
      const missing = answer(stores, 'bank', gap)
      expect(missing.value).toHaveLength(0)
      verifyStoreValue(missing, 'bank', gap, stores.appHash)
      const claimed = ics23.CommitmentProof.decode(missing.operations[0]?.data ?? emptyBytes)
      if (count > 0) expect(verifyNonMembership(claimed, iavlSpec, root, gap)).toBe(true)
      const leaf = leaves[at]
      if (leaf === undefined) continue
      const there = answer(stores, 'bank', leaf.key)
      verifyStoreValue(there, 'bank', leaf.key, stores.appHash)
      const decoded = ics23.CommitmentProof.decode(there.operations[0]?.data ?? emptyBytes)
      expect(verifyMembership(decoded, iavlSpec, root, leaf.key, leaf.value)).toBe(true)
    }
  })

  it('rejects another value, key, store and AppHash, and a missing key that is there', () => {
    const leaves = leavesOf(13)
    const stores = new Multistore({ acc: leaves, bank: leaves, evm: others }, 900)
    const tree = iavlTreeOf(leaves, 900)
    const verify = (proven: ProvenValue, key: Uint8Array, store = 'bank', appHash = stores.appHash) =>
      verifyStoreValue(proven, store, key, appHash)
    leaves.forEach(({ key, value }, at) => {
      const proven = answer(stores, 'bank', key)
      verify(proven, key)
      expect(() => verify({ ...proven, value: Uint8Array.of(...value, 1) }, key)).toThrow('another value')
      expect(() => verify({ ...proven, value: emptyBytes }, key)).toThrow('another value')
      expect(() => verify(proven, Uint8Array.of(...key, 1))).toThrow('another key')
      expect(() => verify(proven, key, 'evm')).toThrow('another key')
      expect(() => verify(proven, key, 'bank', random.bytes(32))).toThrow('another AppHash')
      // Its neighbours, that have it between them.
      const [left, right] = [at > 0 ? at - 1 : undefined, at < 12 ? at + 1 : undefined]
      const claimed = isMissing(
        key,
        left === undefined ? undefined : tree.existence(left),
        right === undefined ? undefined : tree.existence(right),
      )
      const nothing = { ...withInner(proven, claimed), value: emptyBytes }
      expect(() => verify(nothing, key)).toThrow(/neighbour/)
      expect(() =>
        verify({ ...withInner(proven, isMissing(key, undefined, undefined)), value: emptyBytes }, key),
      ).toThrow('another value')
    })
  })

  it('a missing key may have neighbours whose values are empty, as an index in `bank` has', () => {
    const [left, right] = [Uint8Array.of(2, 1), Uint8Array.of(3, 1)]
    const gaps = [Uint8Array.of(1), Uint8Array.of(2, 255), Uint8Array.of(4)]
    const empty = { left: { key: left, value: emptyBytes }, right: { key: right, value: emptyBytes } }
    for (const leaves of [[empty.left], [empty.right], [empty.left, empty.right]]) {
      const stores = new Multistore({ acc: others, bank: leaves }, 900)
      for (const gap of gaps) verifyStoreValue(answer(stores, 'bank', gap), 'bank', gap, stores.appHash)
      // A key that is there is not missing because its value is empty.
      for (const { key } of leaves)
        expect(() => verifyStoreValue(answer(stores, 'bank', key), 'bank', key, stores.appHash)).toThrow(
          'another value',
        )
    }
  })

  it('rejects an invalid proof before it hashes anything', () => {
    const leaves = leavesOf(5)
    const stores = new Multistore({ bank: leaves }, 3)
    const key = leaves[2]?.key ?? emptyBytes
    const proven = answer(stores, 'bank', key)
    const data = proven.operations[0]?.data ?? emptyBytes
    const verify = (changed: ProvenValue) => () => verifyStoreValue(changed, 'bank', key, stores.appHash)
    expect(verify({ ...proven, operations: [] })).toThrow('two parts')
    expect(verify({ ...proven, operations: [...proven.operations].reverse() })).toThrow('another kind')
    expect(verify(withInner(proven, new Uint8Array(2_000_000)))).toThrow('too long')
    expect(verify(withInner(proven, data.subarray(1)))).toThrow()
    for (let length = 0; length < data.length; length += 3)
      expect(verify(withInner(proven, data.subarray(0, length)))).toThrow()
  })

  it.each(['storage', 'account'])("takes a real node's proof of a %s", (name) => {
    const recorded = readNativeFile('proofs-144.json') as Record<
      string,
      { path: string; key: string; response: unknown }
    > & { app_hash_145: string }
    const { path, key, response } = recorded[name] ?? { path: '', key: '', response: {} }
    const store = path.split('/')[1] ?? ''
    const proven = parseAbciQuery({ response }, 144)
    const appHash = fromHex(`0x${recorded.app_hash_145}`)
    verifyStoreValue(proven, store, fromHex(`0x${key}`), appHash)
    expect(proven.value.length).toBeGreaterThan(0)
    expect(() =>
      verifyStoreValue({ ...proven, value: random.bytes(32) }, store, fromHex(`0x${key}`), appHash),
    ).toThrow('another value')
  })
})
