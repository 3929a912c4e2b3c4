import fc from 'fast-check'
import { expect, test } from 'vitest'
import { bodyText, longBodyText } from './bodyText.ts'

const read = (bytes: Buffer): { readonly text: string; readonly pieces: number } => {
  const work = longBodyText(bytes)
  for (let pieces = 1; ; pieces++) {
    const step = work.next()
    if (step.done === true) return { text: step.value, pieces }
  }
}

const part = fc.constantFrom('a', '"', '\u00e9', '\u20ac', '\u{1f600}', '\ufffd', '\u0000')

test('the text of a long body is that of a short one, wherever its pieces end', () => {
  fc.assert(
    fc.property(fc.array(part, { minLength: 1, maxLength: 7 }), fc.nat(3), (parts, ahead) => {
      const bytes = Buffer.from('x'.repeat(ahead) + parts.join('').repeat(50_000))
      expect(read(bytes).text).toBe(bodyText(bytes, 0, bytes.length))
    }),
    { numRuns: 30 },
  )
})

test('one that is not ASCII is read in pieces', () => {
  expect(read(Buffer.from('\u00e9'.repeat(1_000_000))).pieces).toBeGreaterThan(15)
  expect(read(Buffer.from('a'.repeat(1_000_000))).pieces).toBe(1)
})

test.each([[0xff], [0xc3], [0xe2, 0x82], [0xed, 0xa0, 0x80]])(
  'bytes that are not UTF-8 give no JSON: %j',
  (...wrong) => {
    const bytes = Buffer.concat([Buffer.alloc(300_000, 'a'), Buffer.from(wrong as number[])])
    expect(read(bytes).text).toBe('')
  },
)
