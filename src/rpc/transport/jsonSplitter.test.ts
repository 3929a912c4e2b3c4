import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { JsonSplitter } from './jsonSplitter.ts'

/** The messages that come out of these chunks; undefined where the stream gives up. */
const cut = (chunks: readonly Buffer[], maxBytes = 1_000_000): string[] | undefined => {
  const messages: string[] = []
  const stream = new JsonSplitter(maxBytes, (message) => messages.push(message.toString()))
  return chunks.every((chunk) => stream.write(chunk)) ? messages : undefined
}

/** Any cutting of the bytes, in the middle of characters too. */
const chunksOf = (bytes: Buffer, cuts: readonly number[]): Buffer[] => {
  const places = [0, ...cuts.map((place) => place % (bytes.length + 1)), bytes.length].sort((a, b) => a - b)
  return places.slice(1).map((place, index) => bytes.subarray(places[index], place))
}

const cuts = fc.array(fc.nat(), { maxLength: 40 })
const space = fc.stringMatching(/^[ \t\r\n]{1,3}$/)
const container = fc.oneof(fc.array(fc.jsonValue()), fc.dictionary(fc.string(), fc.jsonValue()))

describe('a stream of JSON values', () => {
  test('any values with white space between them, cut anywhere, come out as they were', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.jsonValue(), space)), cuts, (values, places) => {
        const texts = values.map(([value]) => JSON.stringify(value))
        const bytes = Buffer.from(values.map(([, gap], index) => texts[index] + gap).join(''))
        expect(cut(chunksOf(bytes, places))).toEqual(texts)
      }),
      { numRuns: 1000 },
    )
  })

  test('objects, arrays and texts need nothing between them', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(container, fc.string())), cuts, (values, places) => {
        const texts = values.map((value) => JSON.stringify(value))
        expect(cut(chunksOf(Buffer.from(texts.join('')), places))).toEqual(texts)
      }),
      { numRuns: 1000 },
    )
  })

  test('a number or a word ends where something else begins', () => {
    expect(cut([Buffer.from('1{"a":2}tr'), Buffer.from('ue[3]null"x"-4\n')])).toEqual([
      '1',
      '{"a":2}',
      'true',
      '[3]',
      'null',
      '"x"',
      '-4',
    ])
  })

  test('a bracket that closes nothing is a message of its own', () => {
    expect(cut([Buffer.from('}{"a":1}]')])).toEqual(['}', '{"a":1}', ']'])
  })

  test('whatever comes, no byte that is not white space is lost', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), cuts, (bytes, places) => {
        const chunks = [...chunksOf(Buffer.from(bytes), places), Buffer.from('"}]}]'.repeat(200))]
        const squeezed = (text: string): string => text.replace(/[\0- ]/g, '')
        const out: Buffer[] = []
        const stream = new JsonSplitter(1_000_000, (message) => out.push(message))
        for (const chunk of chunks) stream.write(chunk)
        const came = squeezed(Buffer.concat(chunks).toString('latin1'))
        expect(came.startsWith(squeezed(Buffer.concat(out).toString('latin1')))).toBe(true)
      }),
      { numRuns: 1000 },
    )
  })

  test('a message of exactly the limit passes, one byte more does not, whole or in parts', () => {
    const message = Buffer.from(`"${'x'.repeat(98)}"`)
    expect(cut([message], 100)).toHaveLength(1)
    expect(cut([message, message], 100)).toHaveLength(2)
    expect(cut([message], 99)).toBeUndefined()
    expect(cut(chunksOf(message, [10, 20, 30]), 99)).toBeUndefined()
    expect(cut([Buffer.alloc(101, '[')], 100)).toBeUndefined()
  })

  test('white space between messages does not count', () => {
    expect(cut([Buffer.alloc(1000, ' '), Buffer.from('[1]')], 100)).toEqual(['[1]'])
  })
})
