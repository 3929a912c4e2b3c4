import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { concatBytes, fromBigInt, toBigInt } from '../../base/encoding/bytes.ts'
import { fromHex, toHex } from '../../base/encoding/hex.ts'
import { boundedModexp, modexp } from './modexp.ts'
import { modularPower } from './modularPower.ts'

const plainPower = (base: bigint, exponent: bigint, modulus: bigint): bigint => {
  if (modulus === 0n) return 0n
  let result = 1n % modulus
  for (let rest = exponent, power = base % modulus; rest > 0n; rest >>= 1n, power = (power * power) % modulus)
    if (rest & 1n) result = (result * power) % modulus
  return result
}

const sized = (maxBits: number) =>
  fc.integer({ min: 0, max: maxBits }).chain((bits) => fc.bigInt({ min: 0n, max: 2n ** BigInt(bits) }))

const encode = (base: Uint8Array, exponent: Uint8Array, modulus: Uint8Array): Uint8Array =>
  concatBytes(
    ...[base, exponent, modulus].map(({ length }) => fromBigInt(BigInt(length), 32)),
    base,
    exponent,
    modulus,
  )

describe('modularPower', () => {
  it.each([
    ['odd', (m: bigint) => m | 1n],
    ['any', (m: bigint) => m],
    ['even', (m: bigint) => m & ~1n],
    ['far even', (m: bigint) => m << 70n],
    ['power of two', (m: bigint) => 1n << (m % 3000n)],
  ])('agrees with square and multiply for moduli that are %s', (_name, shape) => {
    fc.assert(
      fc.property(sized(3000), fc.uint8Array({ maxLength: 40 }), sized(2500), (base, exponent, size) => {
        const modulus = shape(size)
        expect(modularPower(base, exponent, modulus)).toBe(plainPower(base, toBigInt(exponent), modulus))
      }),
      { numRuns: 150 },
    )
  })

  it('agrees for every modulus of one byte and two', () => {
    const exponent = fromHex('0x01ff37')
    for (let modulus = 0n; modulus < 1200n; modulus++)
      for (const base of [2n, 3n, 250n, 65_537n])
        expect(modularPower(base, exponent, modulus)).toBe(plainPower(base, toBigInt(exponent), modulus))
  })

  it('agrees beyond the kernel', () => {
    for (const offset of [0n, 1n]) {
      const modulus = (1n << 17_000n) + 12_346n + offset
      const exponent = fromHex('0x010001ffff')
      expect(modularPower(3n ** 9000n, exponent, modulus)).toBe(
        plainPower(3n ** 9000n, toBigInt(exponent), modulus),
      )
    }
  })

  it('stops when interrupted', () => {
    let polls = 0
    const exponent = new Uint8Array(500_000).fill(0xff)
    for (const modulus of [2n ** 61n - 1n, 2n ** 521n - 1n, 2n ** 600n, 2n ** 17_000n + 1n])
      expect(modularPower(3n, exponent, modulus, () => ++polls % 3 === 0)).toBeUndefined()
  })
})

describe('MODEXP', () => {
  it('reads what is not there as zeros', () => {
    expect(toHex(modexp.run(new Uint8Array(0)) as Uint8Array)).toBe('0x')
    const short = encode(fromHex('0x03'), fromHex('0x05'), fromHex('0x0100')).subarray(0, 99)
    // The modulus ends after its first byte: still 0x0100.
    expect(toHex(modexp.run(short) as Uint8Array)).toBe('0x00f3')
    expect(toHex(modexp.run(short.subarray(0, 98)) as Uint8Array)).toBe('0x0000')
  })

  it('answers a modulus of no bytes whatever the exponent claims', () => {
    const lengths = concatBytes(fromBigInt(0n, 32), fromBigInt(2n ** 255n, 32), fromBigInt(0n, 32))
    expect(toHex(modexp.run(lengths) as Uint8Array)).toBe('0x')
  })

  it('costs what the formula of its fork says', () => {
    const full = new Uint8Array(64).fill(0xff)
    const input = encode(full, full, full)
    // 32 bytes of exponent behind the first word, and 255 bits behind its highest.
    expect(modexp.gas(input, 'byzantium')).toBe((64n * 64n * (8n * 32n + 255n)) / 20n)
    expect(modexp.gas(input, 'berlin')).toBe((8n * 8n * (8n * 32n + 255n)) / 3n)
    expect(boundedModexp.gas(input, 'osaka')).toBe(2n * 8n * 8n * (16n * 32n + 255n))
  })

  it('has its least price and its bound at Osaka', () => {
    const tiny = encode(Uint8Array.of(2), Uint8Array.of(2), Uint8Array.of(5))
    expect(modexp.gas(tiny, 'berlin')).toBe(200n)
    expect(boundedModexp.gas(tiny, 'osaka')).toBe(500n)
    const wide = encode(new Uint8Array(1025), Uint8Array.of(1), Uint8Array.of(5))
    expect(boundedModexp.run(wide)).toBeUndefined()
    expect(modexp.run(wide)).toEqual(Uint8Array.of(0))
  })
})
