import { describe, expect, test } from 'vitest'
import { laterThanParent, notBeforeParent } from './blockTime.ts'

describe('the time of a block', () => {
  test.each([
    ['the clock', laterThanParent, 100, 250_900, 250],
    ['one second after the parent, where the clock has not moved', laterThanParent, 250, 250_900, 251],
    ['never before the parent, though the clock went back', laterThanParent, 300, 250_000, 301],
    ['the same as the parent at an interval below a second', notBeforeParent, 250, 250_900, 250],
    ['never lower than the parent at such an interval', notBeforeParent, 251, 250_000, 251],
  ])('is %s', (_, rule, parent, now, expected) => {
    expect(rule(parent, now)).toBe(expected)
  })
})
