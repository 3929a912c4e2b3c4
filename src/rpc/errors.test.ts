import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { abbreviate, invalidParams } from './errors.ts'

describe('a value in an error', () => {
  test('is the start of its JSON', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4 }), (value) => {
        const json = JSON.stringify(value)
        const end = typeof value === 'string' ? '…"' : '…'
        expect(abbreviate(value)).toBe(json.length > 80 ? `${json.slice(0, 77)}${end}` : json)
      }),
      { numRuns: 2_000 },
    )
    expect(abbreviate(undefined)).toBe('nothing')
  })

  test('is not null if it is a number that no number can hold', () => {
    const tooLong: unknown = JSON.parse('1'.repeat(1_000_000))
    expect(abbreviate(tooLong)).toBe('a number of too many digits')
    expect(abbreviate([-1, tooLong])).toBe('[-1,a number of too many digits]')
  })

  test('is read no further than it is shown', () => {
    let reads = 0
    const list = new Proxy(new Array<number>(1_000_000).fill(1), {
      get: (target, name, receiver) => {
        if (name !== 'length') reads++
        return Reflect.get(target, name, receiver) as unknown
      },
    })
    expect(abbreviate({ list })).toHaveLength(78)
    expect(reads).toBeLessThan(100)
  })
})

test('a message that repeats what came has a limit', () => {
  expect(invalidParams('short').message).toBe('short')
  expect(invalidParams('x'.repeat(5_000_000)).message).toHaveLength(1_000)
})
