import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import { PiecedJson } from './piecedJson.ts'

const longest = 64

/** Parses in pieces of so many characters; returns the value and how many pieces there were. */
const parse = (text: string, length?: number): { readonly value: unknown; readonly pieces: number } => {
  const json = new PiecedJson(text, longest, length)
  json.skipSpace()
  const work = json.value(0)
  for (let pieces = 1; ; pieces++) {
    const step = work.next()
    if (step.done !== true) continue
    json.finish()
    return { value: step.value, pieces }
  }
}

const outcomeOf = (parseText: () => unknown): unknown => {
  try {
    return { value: parseText() }
  } catch (error) {
    expect(error).toBeInstanceOf(SyntaxError)
    return 'no JSON'
  }
}

const json = fc
  .tuple(fc.jsonValue({ noUnicodeString: false, maxDepth: 5 }), fc.constantFrom(undefined, 1, '\t', ' \r\n'))
  .map(([value, indent]) => JSON.stringify(value, undefined, indent))

describe('JSON that is parsed in pieces', () => {
  it('is what JSON.parse makes of it, however short the pieces are', () => {
    fc.assert(
      fc.property(json, fc.integer({ min: 1, max: 60 }), (text, length) => {
        expect(parse(text, length).value).toEqual(JSON.parse(text))
      }),
      { numRuns: 500 },
    )
  })

  it('is rejected if and only if JSON.parse rejects it', () => {
    const change = fc.constantFrom(
      '',
      '"',
      '{',
      '}',
      '[',
      ']',
      ',',
      ':',
      '\\',
      '0',
      'n',
      '\u0001',
      '\u00a0',
      ' ',
    )
    fc.assert(
      fc.property(
        json,
        fc.nat(),
        change,
        fc.boolean(),
        fc.integer({ min: 1, max: 40 }),
        (text, at, put, cuts, length) => {
          const from = at % (text.length + 1)
          const changed = text.slice(0, from) + put + text.slice(cuts ? from + 1 : from)
          expect(outcomeOf(() => parse(changed, length).value)).toEqual(outcomeOf(() => JSON.parse(changed)))
        },
      ),
      { numRuns: 1_000 },
    )
  })

  it.each([
    '{"__proto__":{"a":1},"b":[{"__proto__":2}]}',
    '{"a":1,"b":2,"a":{"c":3},"1":1,"0":2}',
    ' [ ] ',
    '[[[[[[]]]],{}]]',
    '[1,]',
    '[,1]',
    '[1}',
    '{"a":1]',
    '{"a" : 1 , "b" : [ 1 , 2 ] }x',
    '',
  ])('%s is the same in short pieces', (text) => {
    for (let length = 1; length < 30; length++)
      expect(outcomeOf(() => parse(text, length).value)).toEqual(outcomeOf(() => JSON.parse(text)))
  })

  it('has long strings with escapes anywhere', () => {
    for (const part of ['\\u00e4', '\\\\', '\\"', 'a\\ud83d\\ude00', 'abc', 'é'])
      for (const shift of ['', 'x', 'xy', 'xyz']) {
        const text = `{"${shift}${part.repeat(30_000)}":["${shift}${part.repeat(30_000)}"]}`
        const { value } = parse(text)
        expect(JSON.stringify(value) === JSON.stringify(JSON.parse(text)), part).toBe(true)
      }
    expect(() => parse(`["${'\\q'.repeat(100_000)}"]`)).toThrow(SyntaxError)
    expect(() => parse(`["${'a\n'.repeat(100_000)}"]`)).toThrow(SyntaxError)
    expect(() => parse(`["${'a'.repeat(100_000)}`)).toThrow(SyntaxError)
  })

  it('is rejected where it is too deep, with little work', () => {
    expect(() => parse(`${'['.repeat(65)}${']'.repeat(65)}`)).toThrow('nested deeper')
    expect(() => parse(`${'['.repeat(65)}${'1,'.repeat(50_000)}1${']'.repeat(65)}`)).toThrow('nested deeper')
    expect(() => parse('['.repeat(1_000_000))).toThrow('nested deeper')
    expect(parse(`${'['.repeat(64)}${'1,'.repeat(50_000)}1${']'.repeat(64)}`).pieces).toBeGreaterThan(5)
  })

  it('gives no more than a piece to JSON.parse', () => {
    const slots = Object.fromEntries(
      Array.from({ length: 30_000 }, (_, slot) => [`0x${slot.toString(16).padStart(64, '0')}`, '0x1']),
    )
    const text = JSON.stringify({ params: [slots, ['a'.repeat(3_000_000), [slots]]] })
    const spy = vi.spyOn(JSON, 'parse')
    try {
      expect(parse(text).pieces).toBeGreaterThan(text.length / 100_000)
      const lengths = spy.mock.calls.map(([piece]) => piece.length)
      expect(Math.max(...lengths)).toBeLessThanOrEqual(65_536 + 2)
    } finally {
      spy.mockRestore()
    }
  })
})
