import { once } from 'node:events'
import { MessageChannel } from 'node:worker_threads'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { hasManyMembers, type PackedValue, packValue, unpackValue } from './packedValue.ts'

const name = fc.oneof(fc.constantFrom('address', 'state', '__proto__', 'length'), fc.string())
const { tree } = fc.letrec((tie) => ({
  leaf: fc.oneof(
    fc.constantFrom(undefined, null, true, false, '\ud800', '', -0, Number.NaN),
    fc.double(),
    fc.bigInt(),
    fc.string({ unit: 'binary' }),
    fc.uint8Array({ maxLength: 100 }),
  ),
  tree: fc.oneof(
    { depthSize: 'medium' },
    tie('leaf'),
    fc.array(tie('tree')),
    fc
      .array(fc.tuple(name, tie('tree')), { maxLength: 6 })
      .map((members) => Object.fromEntries(members) as unknown),
  ),
}))

/** Packs in pieces; returns how many there were. */
const pack = (value: unknown): { readonly packed: PackedValue; readonly pieces: number } => {
  const work = packValue(value)
  for (let pieces = 1; ; pieces++) {
    const step = work.next()
    if (step.done === true) return { packed: step.value, pieces }
  }
}

const slots = (count: number) =>
  Array.from({ length: count }, (_, at) => [new Uint8Array(32).fill(at), new Uint8Array(32).fill(at + 1)])

describe('a packed value', () => {
  test('is unpacked to the same', () => {
    fc.assert(
      fc.property(tree, (value) => {
        expect(unpackValue(pack(value).packed)).toStrictEqual(value)
      }),
    )
  })

  test('keeps what cannot be packed', () => {
    const shared = new Int32Array(new SharedArrayBuffer(4))
    const sharedBytes = new Uint8Array(new SharedArrayBuffer(4))
    const map = new Map([[1, 2]])
    const unpacked = unpackValue(pack([shared, { map }, 1, sharedBytes]).packed) as readonly unknown[]
    expect(unpacked[0]).toBe(shared)
    expect(unpacked[3]).toBe(sharedBytes)
    expect(unpacked).toEqual([shared, { map }, 1, sharedBytes])
  })

  test('has a copy of the part that a byte array is of its buffer', () => {
    const whole = new Uint8Array([1, 2, 3, 4])
    const unpacked = unpackValue(pack([whole.subarray(1, 3)]).packed) as readonly Uint8Array[]
    expect(unpacked).toEqual([new Uint8Array([2, 3])])
    expect(unpacked[0]?.buffer.byteLength).toBe(2)
  })

  test('is packed a few values at a time, into one buffer', () => {
    const value = { stateOverrides: [{ address: new Uint8Array(20), stateDiff: slots(35_000) }] }
    const { packed, pieces } = pack(value)
    // Each slot is a list of two byte arrays.
    expect(pieces).toBeGreaterThan((3 * 35_000) / 64)
    expect(packed.others).toEqual([])
    expect(unpackValue(packed)).toEqual(value)
  })

  test.each<[string, unknown]>([
    ['numbers', 0.5],
    ['integers', 2n ** 255n],
    ['texts', 'text'],
    ['bytes', new Uint8Array(7)],
    ['objects', { a: 1 }],
  ])('of many %s is unpacked to the same', (_, member) => {
    const value = Array(20_000).fill(member)
    expect(unpackValue(pack(value).packed)).toEqual(value)
  })

  test('looks at few members in one piece, where a clone looks at all of them', () => {
    let looks = 0
    const watched = Object.defineProperties(
      {},
      Object.fromEntries(
        Array.from({ length: 1000 }, (_, at) => [`n${at}`, { enumerable: true, get: () => looks++ }]),
      ),
    )
    structuredClone(watched)
    expect(looks).toBe(1000)
    let most = 0
    const work = packValue(watched)
    for (looks = 0; work.next().done !== true; looks = 0) most = Math.max(most, looks)
    expect(most).toBeLessThanOrEqual(64)
  })

  test('is handed over without a copy', async () => {
    const { port1, port2 } = new MessageChannel()
    try {
      const { packed } = pack(slots(100))
      port1.postMessage(packed, [packed.bytes.buffer as ArrayBuffer]) // as the packer made it
      const [received] = (await once(port2, 'message')) as [PackedValue]
      expect(packed.bytes.length).toBe(0)
      expect(unpackValue(received)).toEqual(slots(100))
    } finally {
      port1.close()
    }
  })
})

test('members are counted at every depth, up to a limit', () => {
  expect(hasManyMembers(slots(100), 300)).toBe(false)
  expect(hasManyMembers(slots(101), 300)).toBe(true)
  expect(hasManyMembers({ a: { b: slots(1) } }, 4)).toBe(true)
  expect(hasManyMembers({ a: { b: slots(1) } }, 5)).toBe(false)
  expect(hasManyMembers(new Uint8Array(1000), 0)).toBe(false)
})
