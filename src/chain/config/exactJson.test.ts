import { describe, expect, it } from 'vitest'
import { parseExactJson } from './exactJson.ts'

const parsed = (text: string): unknown => parseExactJson(text).value
const repeatedIn = (text: string): string | undefined => parseExactJson(text).repeated

describe('JSON with long integers', () => {
  it('keeps them as text, and everything else as it is', () => {
    expect(
      parsed('{"a":12345678901234567890,"b":[-1234567890123456,1.5,123],"c":"12345678901234567"}'),
    ).toEqual({
      a: '12345678901234567890',
      b: ['-1234567890123456', 1.5, 123],
      c: '12345678901234567',
    })
    expect(parsed('1234567890123456.5')).toBe(1234567890123456.5)
    expect(parsed('{"\\"1234567890123456":"\\\\"}')).toEqual({ '"1234567890123456': '\\' })
  })

  it('may have strings of any length', () => {
    const long = '0x'.padEnd(20_000_000, 'ab')
    expect((parsed(JSON.stringify({ code: long })) as { code: string }).code.length).toBe(long.length)
  })

  it.each(['', '{', '"', '{"a', '{"a\\', ']', '{"a":1,}', '}{', '{"a":"\\x"}'])('%j is not JSON', (text) => {
    expect(() => parseExactJson(text)).toThrow(SyntaxError)
  })

  it.each([
    ['{"chainId":4242,"chainId":1}', 'chainId'],
    ['{"config":{"a":[{"x":1},{"x":2}],"b":1,"a":2}}', 'config.a'],
    [
      '{"alloc":{"0x1":{"balance":"1"},"0x2":{"balance":"1","storage":{},"balance":"2"}}}',
      'alloc.0x2.balance',
    ],
    ['{"a":1,"\\u0061":2}', 'a'],
    ['[{"a":"a","b":"a"},{"a":{"a":["a","a"]}}]', undefined],
  ])('%s has twice: %s', (text, repeated) => {
    expect(repeatedIn(text)).toBe(repeated)
  })
})
