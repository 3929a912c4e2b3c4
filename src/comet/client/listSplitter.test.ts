import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { slow } from '../../../test/support/slow.ts'
import { JsonListSplitter, type SplitterOptions } from './listSplitter.ts'

const split = (text: string, sizes: readonly number[], options: Partial<SplitterOptions> = {}) => {
  const elements: unknown[] = []
  const splitter = new JsonListSplitter({
    name: 'txs_results',
    maxElementBytes: 1_000_000,
    maxOutsideBytes: 1_000_000,
    onElement: (json) => elements.push(JSON.parse(json.toString())),
    tooLarge: (message) => new Error(message),
    ...options,
  })
  const bytes = Buffer.from(text)
  for (let at = 0, turn = 0; at < bytes.length; turn++) {
    const size = sizes[turn % sizes.length] as number
    splitter.push(bytes.subarray(at, at + size))
    at += size
  }
  return { elements, rest: JSON.parse(splitter.end().toString()) as unknown }
}

const envelope = (result: unknown, indent = 0): string =>
  JSON.stringify({ jsonrpc: '2.0', id: 1, result }, undefined, indent)

/** JSON with the texts that are hardest to skip. */
const values = fc.jsonValue({
  maxDepth: 4,
  stringUnit: fc.constantFrom('"', '\\', ',', '[', ']', '{', 'ä', 'x'),
})

describe('splitting a reply', () => {
  it('gives the elements and the rest, in whatever pieces it arrives', slow, () => {
    fc.assert(
      fc.property(
        fc.array(values, { maxLength: 6 }),
        values,
        values,
        fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 5 }),
        fc.constantFrom(0, 2),
        (list, before, after, sizes, indent) => {
          const result = { height: '7', before, txs_results: list, after, txs: list }
          const { elements, rest } = split(envelope(result, indent), sizes)
          expect(elements).toEqual(JSON.parse(JSON.stringify(list)))
          expect(rest).toEqual(JSON.parse(envelope({ ...result, txs_results: [] })))
        },
      ),
      { numRuns: 500 },
    )
  })

  it('leaves a list that is null, elsewhere, or of another name', () => {
    for (const result of [
      { txs_results: null },
      { inner: { txs_results: [1] } },
      { txs: [1] },
      { x: 'txs_results' },
    ])
      expect(split(envelope(result), [3])).toEqual({ elements: [], rest: JSON.parse(envelope(result)) })
    expect(split('{"txs_results":[1],"result":{"a":1}}', [5]).elements).toEqual([])
  })

  it('rejects a part that is too large, text that ends early, and two lists', () => {
    const large = envelope({ txs_results: ['x'.repeat(100)] })
    expect(() => split(large, [7], { maxElementBytes: 50 })).toThrow('larger than 50 bytes')
    expect(() => split(envelope({ a: 'x'.repeat(100) }), [7], { maxOutsideBytes: 50 })).toThrow(
      'more than 50',
    )
    expect(() => split(large.slice(0, -4), [7])).toThrow('not JSON')
    expect(() => split('{"result":{"txs_results":[1],"txs_results":[2]}}', [7])).toThrow('twice')
    expect(() => split('['.repeat(100), [7])).toThrow('too deep')
  })
})
