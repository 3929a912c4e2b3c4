import fc from 'fast-check'
import { hexToBigInt, toHex } from 'viem'
import { describe, expect, test } from 'vitest'
import { Quantity, Uint64 } from './quantity.ts'

const runs = { numRuns: 10_000 }
const anyValue = fc.bigInt({ min: 0n, max: 2n ** 256n - 1n })

/** The table of the specification, read character by character: no code and no pattern shared with the schema. */
const isQuantity = (text: string, maxDigits: number): boolean => {
  const digits = [...text.slice(2)]
  if (text[0] !== '0' || text[1] !== 'x' || digits.length === 0 || digits.length > maxDigits) return false
  if (digits[0] === '0' && digits.length > 1) return false
  return digits.every((digit) => '0123456789abcdefABCDEF'.includes(digit))
}

/** Mostly near misses: hex text with one thing changed. */
const nearQuantity = fc.oneof(
  anyValue.map((value) => toHex(value)),
  anyValue.map((value) => toHex(value).toUpperCase()),
  anyValue.map((value) => `0x0${value.toString(16)}`),
  anyValue.map((value) => value.toString(16)),
  anyValue.map((value) => value.toString(10)),
  fc.bigInt({ min: 2n ** 250n, max: 2n ** 262n }).map((value) => `0x${value.toString(16)}`),
  fc.tuple(anyValue, fc.nat(70), fc.string({ maxLength: 2 })).map(([value, at, extra]) => {
    const text = toHex(value)
    return `${text.slice(0, at)}${extra}${text.slice(at)}`
  }),
  fc
    .tuple(anyValue, fc.nat(70))
    .map(([value, at]) => `${toHex(value).slice(0, at)}${toHex(value).slice(at + 1)}`),
  fc.string({ unit: fc.constantFrom(...'0xX19afAFgG -+.\n'), maxLength: 68 }),
)

describe('QUANTITY', () => {
  test('every value makes the round trip, as viem reads and writes it', () => {
    fc.assert(
      fc.property(anyValue, (value) => {
        const decoded = Quantity.schema.parse(toHex(value))
        return decoded === value && Quantity.encode(value) === toHex(value)
      }),
      runs,
    )
  })

  test('exactly what the specification allows is taken, with the value that viem reads', () => {
    let taken = 0
    fc.assert(
      fc.property(nearQuantity, (text) => {
        const result = Quantity.schema.safeParse(text)
        expect(result.success, text).toBe(isQuantity(text, 64))
        if (!result.success) return
        taken++
        expect(result.data).toBe(hexToBigInt(text as `0x${string}`))
      }),
      runs,
    )
    expect(taken).toBeGreaterThan(1000)
    expect(taken).toBeLessThan(9000)
  })

  test('the 64-bit form differs in its size alone', () => {
    fc.assert(
      fc.property(nearQuantity, (text) => Uint64.schema.safeParse(text).success === isQuantity(text, 16)),
      runs,
    )
    expect(Uint64.schema.parse('0xffffffffffffffff')).toBe(2n ** 64n - 1n)
    expect(Uint64.schema.safeParse('0x10000000000000000').success).toBe(false)
  })

  test('no other JSON value is one', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        fc.pre(typeof value !== 'string')
        return !Quantity.schema.safeParse(value).success
      }),
      runs,
    )
  })

  test.each(['0x', '0x0400', '400', '', '0x01', '-0x1', '0X1', '0x1 ', ' 0x1', '0x1\n', '0xg'])(
    '%j is rejected with what is wanted',
    (text) => {
      const { error } = Quantity.schema.safeParse(text)
      expect(error?.issues[0]?.message).toMatch(
        /^expected a QUANTITY: 0x and hex digits without leading zeros/,
      )
    },
  )

  test.each([
    ['0x41', 65n],
    ['0x400', 1024n],
    ['0x0', 0n],
    ['0xAbC', 2748n],
  ])('%s is %s', (text, value) => {
    expect(Quantity.schema.parse(text)).toBe(value)
  })
})
