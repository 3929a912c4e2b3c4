import { describe, expect, test } from 'vitest'
import { printable, printableJson, printableLines } from './printable.ts'

const harmful: readonly (readonly [string, string])[] = [
  ['an escape', '\x1b'],
  ['a line break', '\n'],
  ['a carriage return', '\r'],
  ['a backspace', '\b'],
  ['DEL', '\x7f'],
  ['CSI of C1', '\x9b'],
  ['next line of C1', '\x85'],
  ['a line separator', '\u2028'],
  ['a paragraph separator', '\u2029'],
  ['right-to-left override', '\u202e'],
  ['a right-to-left isolate', '\u2067'],
  ['a right-to-left mark', '\u200f'],
  ['an Arabic letter mark', '\u061c'],
  ['a space of no width', '\u200b'],
  ['a byte order mark', '\ufeff'],
  ['a soft hyphen', '\u00ad'],
  ['an invisible letter', '\u3164'],
  ['a tag', '\u{e0041}'],
  ['a variation selector', '\u{e0100}'],
  ['half of a surrogate pair', '\ud800'],
]

describe.each(harmful)('%s', (_, character) => {
  test('is replaced in a line', () => expect(printable(`a${character}b`)).toBe('a·b'))

  test('is an escape in JSON, which is parsed to the same value', () => {
    const value = { text: `a${character}b` }
    const shown = printableJson(JSON.stringify(value))
    expect(shown).toMatch(/^[\x20-\x7e]+$/)
    expect(JSON.parse(shown)).toEqual(value)
  })
})

test('text in any script stays as it is', () => {
  for (const text of ['Grüße, 世界', 'שלום', 'नमस्ते', 'e\u0301', '❤\ufe0f 😀', 'a\u0020b'])
    expect(printable(text)).toBe(text)
})

test('marks are not stacked over the lines above', () => {
  expect(printable(`a${'\u0301'.repeat(6)}`)).toBe('a\u0301\u0301\u0301···')
})

test('text is cut to a length', () => expect(printable('abcdef', 3)).toBe('abc…'))

test('later lines are indented', () => {
  expect(printableLines('one\nperihelion: two\r\n\x1b[2J')).toBe('one\n  perihelion: two·\n  ·[2J')
})

test('the lines of JSON stay', () => {
  const json = JSON.stringify({ a: ['\u202e'] }, undefined, 2)
  expect(printableJson(json)).toBe('{\n  "a": [\n    "\\u202e"\n  ]\n}')
})
