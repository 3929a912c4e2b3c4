import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { closeBrace, closeBracket, openBrace, openBracket, quote } from './jsonCodes.ts'
import { listElements } from './jsonElements.ts'
import { DepthError, JsonScanner, StrictJsonScanner } from './jsonScanner.ts'
import { TextSkipper } from './jsonTokens.ts'

/** Texts of JSON with and without blanks; names and strings with all that must be escaped. */
const jsonText = fc
  .tuple(fc.jsonValue({ noUnicodeString: false, maxDepth: 6 }), fc.constantFrom(undefined, 1, '\t', ' \r\n'))
  .map(([value, indent]) => JSON.stringify(value, undefined, indent))

/** Reads a value with nothing but the scanner's steps, and scalars and strings by their text. */
const readValue = (scanner: JsonScanner): unknown => {
  scanner.skipSpace()
  const code = scanner.text.charCodeAt(scanner.at)
  if (code === openBracket) {
    const list: unknown[] = []
    if (scanner.enter(openBracket))
      do list.push(readValue(scanner))
      while (scanner.next(closeBracket))
    return list
  }
  if (code === openBrace) {
    const members: [string, unknown][] = []
    if (scanner.enter(openBrace))
      do {
        scanner.readKey()
        members.push([scanner.key, readValue(scanner)])
      } while (scanner.next(closeBrace))
    return Object.fromEntries(members)
  }
  const start = scanner.at
  scanner.skipValue()
  return JSON.parse(scanner.text.slice(start, scanner.at))
}

const depthOf = (value: unknown): number =>
  typeof value === 'object' && value !== null ? 1 + Math.max(0, ...Object.values(value).map(depthOf)) : 0

const canParse = (text: string): boolean => {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

const isTakenStrictly = (text: string): boolean => {
  const scanner = new StrictJsonScanner(text)
  try {
    scanner.skipValue()
    scanner.finish()
    return true
  } catch (error) {
    expect(error).toBeInstanceOf(SyntaxError)
    return false
  }
}

describe('scanned and parsed, any text is the same', () => {
  test('its members and elements', () => {
    fc.assert(
      fc.property(jsonText, (text) => {
        expect(readValue(new JsonScanner(text))).toEqual(JSON.parse(text))
      }),
    )
  })

  test('its end and its depth', () => {
    fc.assert(
      fc.property(jsonText, (text) => {
        const depth = depthOf(JSON.parse(text))
        const scanner = new JsonScanner(`${text}  `, depth)
        scanner.skipValue()
        expect(scanner.at).toBe(text.length)
        if (depth > 0) expect(() => new JsonScanner(text, depth - 1).skipValue()).toThrow(DepthError)
      }),
    )
  })

  test('a text that is changed somewhere is taken strictly only if it is still JSON without blanks', () => {
    const change = fc.constantFrom('', '"', '{', '}', '[', ']', ',', ':', '\\', '0', 'n', 'u', '\u0001')
    fc.assert(
      fc.property(fc.jsonValue(), fc.nat(), change, fc.boolean(), (value, position, put, cuts) => {
        const text = JSON.stringify(value)
        const at = position % (text.length + 1)
        const changed = text.slice(0, at) + put + text.slice(cuts ? at + 1 : at)
        expect(isTakenStrictly(changed), changed).toBe(canParse(changed))
      }),
      { numRuns: 1_000 },
    )
  })

  test('the elements of a list', () => {
    fc.assert(
      fc.property(fc.array(fc.jsonValue()), (list) => {
        const text = JSON.stringify(list)
        const elements = listElements(Buffer.from(text)) ?? []
        // Not the list itself: JSON.stringify writes -0 as 0.
        expect(elements.map((element) => JSON.parse(Buffer.from(element).toString()))).toEqual(
          JSON.parse(text),
        )
      }),
    )
  })

  test('the brackets outside of its strings, in whatever pieces it comes', () => {
    const outside = (pieces: readonly Buffer[]): string => {
      const texts = new TextSkipper()
      let found = ''
      for (const piece of pieces)
        for (let at = 0; at < piece.length; ) {
          if (texts.isInText) at = texts.skip(piece, at)
          else if (piece[at] === quote) {
            texts.isInText = true
            at++
          } else found += String.fromCharCode(piece[at++] as number)
        }
      return found
    }
    fc.assert(
      fc.property(jsonText, fc.array(fc.nat()), (text, cuts) => {
        const bytes = Buffer.from(text)
        const ends = [...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length].sort((a, b) => a - b)
        const pieces = ends.map((end, index) => bytes.subarray(ends[index - 1] ?? 0, end))
        expect(outside(pieces)).toBe(text.replace(/"(?:[^"\\]|\\.)*"/g, ''))
      }),
    )
  })
})
