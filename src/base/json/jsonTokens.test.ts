import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { hasMoreJsonValues, isTooDense } from './jsonTokens.ts'

/** Counts as the scanner does: a list or an object is a value more than its members, unless it is empty. */
const count = (value: unknown): number => {
  if (typeof value !== 'object' || value === null) return 1
  const members = Object.values(value).reduce<number>((sum, member) => sum + count(member), 0)
  return 1 + Math.max(members, 1)
}

describe('counting the values of JSON', () => {
  it('agrees with a parser, whatever is in the texts', () => {
    fc.assert(
      fc.property(fc.json(), (json) => {
        const values = count(JSON.parse(json))
        expect(hasMoreJsonValues(Buffer.from(json), values), json).toBe(false)
        expect(hasMoreJsonValues(Buffer.from(json), values - 1), json).toBe(values > 1)
      }),
      { numRuns: 1_000 },
    )
  })

  it('skips texts with escapes, also when they are all quotes and backslashes', () => {
    for (const text of ['"', '\\', '\\"', '\\\\"', ',,,[[[{{{', '","'])
      expect(hasMoreJsonValues(Buffer.from(JSON.stringify([text, text])), 3)).toBe(false)
    expect(hasMoreJsonValues(Buffer.from('["never ends,,,,'), 2)).toBe(false)
  })

  it('ends at the limit', () => {
    expect(hasMoreJsonValues(Buffer.from('[[],'.repeat(1_000_000)), 1_000)).toBe(true)
  })
})

describe('isTooDense', () => {
  it.each(['{},', '[],', '[', '1,'])('finds a response of %s alone', (part) => {
    expect(isTooDense(part.repeat(1_000_000))).toBe(true)
  })

  it('lets pass what nodes send', () => {
    const log = {
      address: `0x${'11'.repeat(20)}`,
      topics: [`0x${'22'.repeat(32)}`],
      data: '0x',
      logIndex: '0x1',
    }
    const step = { pc: 0, op: 'PUSH1', gas: 100, gasCost: 3, depth: 1, stack: ['0x0', '0x1'] }
    for (const part of [log, step])
      expect(isTooDense(JSON.stringify(Array.from({ length: 100_000 }, () => part)))).toBe(false)
  })
})
