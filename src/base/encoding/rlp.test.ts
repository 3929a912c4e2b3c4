import { RLP } from '@ethereumjs/rlp'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fromHex, toHex } from './hex.ts'
import {
  assertItemCount,
  decodeRlp,
  encodedLength,
  encodeRlp,
  encodeRlpList,
  RlpError,
  type RlpInput,
} from './rlp.ts'

const item = fc.letrec<{ item: RlpInput }>((tie) => ({
  item: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    fc.uint8Array({ maxLength: 300 }),
    fc.array(tie('item'), { maxLength: 6 }),
  ),
})).item

const nested = (depth: number): Uint8Array => {
  let inner: RlpInput = []
  for (let index = 1; index < depth; index++) inner = [inner]
  return encodeRlp(inner)
}

describe('rlp', () => {
  it('encodes as @ethereumjs/rlp does, and decodes what it encoded', () => {
    fc.assert(
      fc.property(item, (value) => {
        const encoded = encodeRlp(value)
        expect(toHex(encoded)).toBe(toHex(RLP.encode(value as Uint8Array)))
        expect(encodedLength(value)).toBe(encoded.length)
        expect(decodeRlp(encoded)).toEqual(value)
      }),
    )
  })

  it.each([55, 56, 0xff, 0x100, 0xffff, 0x1_0000, 0xff_ffff, 0x100_0000])(
    'writes a length of %i',
    (length) => {
      for (const value of [new Uint8Array(length), [new Uint8Array(length)]]) {
        const encoded = encodeRlp(value)
        expect(Buffer.compare(encoded, RLP.encode(value as Uint8Array))).toBe(0)
        expect(encodedLength(value)).toBe(encoded.length)
      }
    },
  )

  it('puts encoded items into a list', () => {
    const parts = [new Uint8Array(70), Uint8Array.of(1), new Uint8Array(0)]
    expect(encodeRlpList(parts.map(encodeRlp))).toEqual(encodeRlp(parts))
  })

  it('accepts nothing but the canonical form of random bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1, maxLength: 12 }), (bytes) => {
        try {
          expect(toHex(encodeRlp(decodeRlp(bytes)))).toBe(toHex(bytes))
        } catch (error) {
          if (!(error instanceof RlpError)) throw error
        }
      }),
      { numRuns: 2000 },
    )
  })

  it.each([
    ['nothing', '0x'],
    ['a prefixed small byte', '0x8100'],
    ['a short string in the long form', '0xb801ff'],
    ['a short list in the long form', '0xf800'],
    ['leading zeros in a length', `0xb90040${'00'.repeat(64)}`],
    ['a string beyond the input', '0x83aabb'],
    ['a list beyond the input', '0xc3aabb'],
    ['an element beyond its list', '0xc28201020304'],
    ['a length beyond the input', '0xbf01'],
    ['a length of 2^64 - 1', '0xbfffffffffffffffff'],
    ['bytes after the item', '0x0102'],
  ])('rejects %s', (_name, hex) => {
    expect(() => decodeRlp(fromHex(hex))).toThrow(RlpError)
  })

  it('counts items at all depths without decoding them', () => {
    const bytes = encodeRlp([
      [Uint8Array.of(1), new Uint8Array(70)],
      [],
      new Uint8Array(0),
      [[Uint8Array.of(2)]],
    ])
    expect(() => assertItemCount(bytes, 9)).not.toThrow()
    expect(() => assertItemCount(bytes, 8)).toThrow(RlpError)
    expect(() => assertItemCount(encodeRlp(new Uint8Array(1_000)), 1)).not.toThrow()
  })

  it('rejects nesting beyond its limit', () => {
    expect(() => decodeRlp(nested(64))).not.toThrow()
    expect(() => decodeRlp(nested(65))).toThrow(RlpError)
  })
})
