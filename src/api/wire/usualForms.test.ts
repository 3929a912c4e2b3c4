import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { WireType } from '../../rpc/wireType.ts'
import { Block, BlockNumber } from './block.ts'
import { Address, Bytes8, Bytes32, Data, Hash } from './data.ts'
import { Quantity, Uint64 } from './quantity.ts'
import { Transaction } from './transactionRequest.ts'

const hexText = (length: number) =>
  fc.string({ unit: fc.constantFrom(...'0123456789abcdefABCDEF'), minLength: length, maxLength: length })

/** Right lengths, near misses, other scripts whose codes end like those of digits, and values that are not strings. */
const given = fc.oneof(
  fc.constantFrom('latest', 'safe', 'finalized', 'pending', 'earliest', 'Latest', 'latest ', '', '0x', '0x0'),
  fc.constantFrom(...[16, 40, 64]).chain((length) => hexText(length).map((digits) => `0x${digits}`)),
  hexText(40).map((digits) => `0X${digits}`),
  fc
    .tuple(hexText(39), fc.nat(39), fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }))
    .map(([digits, at, other]) => `0x${digits.slice(0, at)}${other}${digits.slice(at)}`),
  fc
    .tuple(hexText(39), fc.nat(39))
    .map(([digits, at]) => `0x${digits.slice(0, at)}\u0130${digits.slice(at)}`),
  fc.nat(20).chain((length) => hexText(length).map((digits) => `0x${digits}`)),
  fc.constantFrom(null, undefined, 1, true, {}, [], ['0x0'], { blockNumber: '0x1' }),
)

const members = fc.dictionary(
  fc.constantFrom(
    'from',
    'to',
    'gas',
    'value',
    'data',
    'input',
    'gasLimit',
    'nonce',
    'accessList',
    'other',
    '__proto__',
  ),
  given,
  { maxKeys: 4 },
)

const addresses = hexText(40).map((digits) => `0x${digits}`)
const calls = fc.record(
  {
    from: addresses,
    to: addresses,
    data: hexText(72).map((digits) => `0x${digits}`),
    gas: fc.constant('0x5208'),
  },
  { requiredKeys: [] },
)

const types: Readonly<Record<string, WireType<unknown>>> = {
  ...{ Address, Hash, Bytes32, Bytes8, Data, Quantity, Uint64, Block, BlockNumber },
}

describe('values that are decoded without their schema', () => {
  test.each(Object.entries(types))('are what the schema makes of them: %s', (_name, type) => {
    let usual = 0
    fc.assert(
      fc.property(given, (value) => {
        const decoded = type.decodeUsual?.(value)
        if (decoded === undefined) return
        usual++
        expect(type.schema.safeParse(value)).toEqual({ success: true, data: decoded })
      }),
      { numRuns: 5_000 },
    )
    expect(usual).toBeGreaterThan(100)
  })

  test('are what the schema makes of them: Transaction', () => {
    let usual = 0
    fc.assert(
      fc.property(fc.oneof(members, calls, given), (value) => {
        const decoded = Transaction.decodeUsual?.(value)
        if (decoded === undefined) return
        usual++
        expect(Transaction.schema.safeParse(value)).toEqual({ success: true, data: decoded })
      }),
      { numRuns: 5_000 },
    )
    expect(usual).toBeGreaterThan(1_000)
  })

  test('what the schema takes of addresses and tags is all decoded', () => {
    fc.assert(
      fc.property(given, (value) => {
        expect(Address.decodeUsual?.(value) !== undefined).toBe(Address.schema.safeParse(value).success)
        expect(BlockNumber.decodeUsual?.(value) !== undefined).toBe(
          BlockNumber.schema.safeParse(value).success,
        )
      }),
      { numRuns: 5_000 },
    )
  })
})

describe('results that are written as JSON at once', () => {
  test.each([
    ['Quantity', Quantity],
    ['Uint64', Uint64],
  ])('are what JSON makes of them: %s', (_name, type) => {
    for (const value of [0n, 1n, 15n, 16n, 2n ** 64n - 1n])
      expect(type.encodeJson?.(value)).toBe(JSON.stringify(type.encode(value)))
  })

  test.each([
    ['Address', Address, 20],
    ['Hash', Hash, 32],
    ['Data', Data, 0],
  ])('are what JSON makes of them: %s', (_name, type, length) => {
    const value = Uint8Array.from({ length }, (_, index) => index * 7)
    expect(type.encodeJson?.(value)).toBe(JSON.stringify(type.encode(value)))
  })
})
