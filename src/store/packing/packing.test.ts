import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { fragments } from './fragments.ts'
import { TextPacker } from './pack.ts'
import { unpackEntry, unpackInto } from './unpack.ts'

const unpack = (body: Buffer, start: number, end: number, length: number): string => {
  const text = Buffer.alloc(length)
  expect(unpackInto(body, start, end, 0, length, text, 0)).toBe(length)
  return text.toString('latin1')
}

const bodyOf = (packer: TextPacker): Buffer => {
  const body = Buffer.alloc(packer.length)
  packer.copyTo(body, 0)
  return body
}

const digits = fc.string({ unit: fc.constantFrom(...'0123456789abcdef'), minLength: 1, maxLength: 300 })
const piece = fc.oneof(
  fc.constantFrom(...fragments),
  digits.map((text) => `0x${text}`),
  fc.constantFrom(`0x${'0'.repeat(512)}`, `0x${'ab'.repeat(32)}`, '0x', '0x0'),
  fc.string({ unit: 'binary-ascii', maxLength: 40 }),
)
const textOfPieces = fc.array(piece, { maxLength: 30 }).map((pieces) => pieces.join(''))

describe('packed texts', () => {
  test('are expanded to what they were, each alone', () => {
    fc.assert(
      fc.property(fc.array(textOfPieces, { maxLength: 8 }), (texts) => {
        const all = texts.join('')
        const packer = new TextPacker(all.length, all.length, texts.length)
        const ends = texts.map((text) => {
          packer.add(text)
          return packer.length
        })
        const body = bodyOf(packer)
        for (const [index, text] of texts.entries())
          expect(unpack(body, ends[index - 1] ?? 0, ends[index] as number, text.length)).toBe(text)
      }),
    )
  })

  test('a value that was there before takes a few bytes', () => {
    const text = `{"blockHash":"0x${'5a'.repeat(32)}"}`
    const packer = new TextPacker(text.length, 2 * text.length, 2)
    packer.add(text)
    const first = packer.length
    expect(first).toBe(35)
    packer.add(text)
    expect(packer.length - first).toBeLessThan(6)
  })

  test('bytes that are not packed text end in an error or in text, never in a loop', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), fc.nat({ max: 400 }), (bytes, length) => {
        const target = new Uint8Array(length)
        try {
          expect(unpackInto(Buffer.from(bytes), 0, bytes.length, 0, length, target, 0)).toBe(length)
        } catch (error) {
          expect(error).toBeInstanceOf(RangeError)
        }
      }),
    )
  })

  test('places beyond the row are rejected, and reserve nothing', () => {
    const row = Buffer.from([0x60, 0x01])
    for (const [start, end, body] of [
      [0, 2 ** 31, 0],
      [2, 1, 0],
      [0, 2, 1],
    ] as const)
      expect(() => unpackInto(row, start, end, body, 3, new Uint8Array(3), 0)).toThrow('damaged')
    expect(() => unpackEntry(row, 0, 2 ** 31, 0, (length) => new Uint8Array(length))).toThrow('damaged')
  })

  test('there are as many fragments as there are bytes for them, and none twice', () => {
    expect(fragments.length).toBeLessThanOrEqual(0x60)
    expect(new Set(fragments).size).toBe(fragments.length)
  })
})
