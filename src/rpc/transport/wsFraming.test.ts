import { describe, expect, test } from 'vitest'
import { frameText, textFraming } from './wsFraming.ts'

describe('frameText', () => {
  test.each([0, 1, 125, 126, 65_535, 65_536])('frames %i bytes as pieces are framed', (length) => {
    const text = 'a'.repeat(length)
    const framed = Buffer.concat([textFraming.open(length), Buffer.from(text)])
    expect(Buffer.from(frameText(text, length), 'latin1').equals(framed)).toBe(true)
  })

  test('frames characters as their bytes', () => {
    const text = '"\u00e9\u20ac"'
    const bytes = Buffer.from(text)
    const framed = Buffer.concat([textFraming.open(bytes.length), bytes])
    expect(Buffer.from(frameText(text, bytes.length), 'latin1').equals(framed)).toBe(true)
  })
})
