import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { abbreviate, invalidParams } from './errors.ts'

describe('a value in an error', () => {
  test('is the start of its JSON', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4 }), (value) => {
        const json = JSON.stringify(value)
        expect(abbreviate(value)).toBe(json.length > 80 ? `${json.slice(0, 77)}…` : json)
      }),
      { numRuns: 2_000 },
    )
    expect(abbreviate(undefined)).toBe('nothing')
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
