import { dataLength, getBytes, hexlify, isHexString } from 'ethers'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Address, Bytes8, Data, Hash } from './data.ts'

const runs = { numRuns: 10_000 }
const anyBytes = fc.uint8Array({ maxLength: 80 })
const upperDigits = (text: string) => `0x${text.slice(2).toUpperCase()}`

/** The table of the specification, read character by character. */
const isData = (text: string): boolean => {
  const digits = [...text.slice(2)]
  if (text[0] !== '0' || text[1] !== 'x' || digits.length % 2 !== 0) return false
  return digits.every((digit) => '0123456789abcdefABCDEF'.includes(digit))
}

/** Mostly near misses: hex text with one thing changed. */
const nearData = fc.oneof(
  anyBytes.map((bytes) => hexlify(bytes)),
  anyBytes.map((bytes) => upperDigits(hexlify(bytes))),
  anyBytes.map((bytes) => hexlify(bytes).slice(2)),
  anyBytes.map((bytes) => hexlify(bytes).replace('0x', '0X')),
  fc
    .tuple(anyBytes, fc.nat(162), fc.string({ maxLength: 2 }))
    .map(([bytes, at, extra]) => `${hexlify(bytes).slice(0, at)}${extra}${hexlify(bytes).slice(at)}`),
  fc
    .tuple(anyBytes, fc.nat(162))
    .map(([bytes, at]) => `${hexlify(bytes).slice(0, at)}${hexlify(bytes).slice(at + 1)}`),
  fc.string({ unit: fc.constantFrom(...'0xX19afAFgG -\n'), maxLength: 60 }),
)

describe('DATA', () => {
  test('every run of bytes makes the round trip, as ethers reads and writes it', () => {
    fc.assert(
      fc.property(anyBytes, (bytes) => {
        const decoded = Data.schema.parse(hexlify(bytes))
        expect(decoded).toEqual(bytes)
        expect(Data.encode(decoded)).toBe(hexlify(bytes))
      }),
      runs,
    )
  })

  test('exactly what the specification allows is taken, with the bytes that ethers reads', () => {
    let taken = 0
    fc.assert(
      fc.property(nearData, (text) => {
        const result = Data.schema.safeParse(text)
        expect(result.success, text).toBe(isData(text))
        expect(result.success, text).toBe(isHexString(text) && text.length % 2 === 0)
        if (!result.success) return
        taken++
        expect(result.data).toEqual(getBytes(text))
      }),
      runs,
    )
    expect(taken).toBeGreaterThan(1000)
    expect(taken).toBeLessThan(9000)
  })

  test('a fixed length is checked', () => {
    fc.assert(
      fc.property(anyBytes, (bytes) => {
        const text = hexlify(bytes)
        expect(Address.schema.safeParse(text).success).toBe(dataLength(text) === 20)
        expect(Hash.schema.safeParse(text).success).toBe(dataLength(text) === 32)
        expect(Bytes8.schema.safeParse(text).success).toBe(dataLength(text) === 8)
      }),
      runs,
    )
  })

  test('addresses are taken in any case: a wrong checksum is for wallets to see', () => {
    const mixed = '0xF39fD6e51aad88F6F4ce6aB8827279cffFb92266'
    expect(Address.encode(Address.schema.parse(mixed))).toBe(mixed.toLowerCase())
  })

  test('no other JSON value is one', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        fc.pre(typeof value !== 'string')
        return !Data.schema.safeParse(value).success
      }),
      runs,
    )
  })

  test.each(['0x4', '41', '', '0x004g', '0X41', '0x41 '])('%j is rejected with what is wanted', (text) => {
    expect(Data.schema.safeParse(text).error?.issues[0]?.message).toBe(
      'expected DATA: 0x and two hex digits a byte',
    )
  })

  test.each([1, 300, 3000])(
    'letters whose low byte is that of a digit are rejected, in %i bytes',
    (length) => {
      const text = `0x${'\u0131\u0132'.repeat(length)}`
      expect(Data.schema.safeParse(text).success).toBe(false)
      expect(Data.schema.safeParse(`0x${'41'.repeat(length - 1)}4\u0131`).success).toBe(false)
    },
  )

  test('five megabytes are read', () => {
    expect(Data.schema.parse(`0x${'ab'.repeat(2_500_000)}`)).toHaveLength(2_500_000)
  })
})
