import { expect, test } from 'vitest'
import { heightFor, withoutGaps } from './gaps.ts'

test('hours without a block do not make a chart of seconds flat', () => {
  expect(withoutGaps([null, 1, 2, 1, 3, 7200, 1, 2, 90_000])).toEqual([1, 1, 1, 2, 2, 3])
  // Blocks of the same second, and then a second.
  expect(withoutGaps([0, 0, 0, 1, 3600])).toEqual([0, 0, 0, 1])
})

test('what differs by little is not a gap', () => {
  expect(withoutGaps([40, 5, 6, 12])).toEqual([5, 6, 12, 40])
  expect(withoutGaps([600, 601, 1200])).toEqual([600, 601, 1200])
})

test('a chart without figures has a height', () => {
  expect(withoutGaps([])).toEqual([])
  expect(withoutGaps([null, Number.NaN])).toEqual([])
  expect([heightFor(undefined), heightFor(0), heightFor(Number.NaN)]).toEqual([1, 1, 1])
  expect(heightFor(10)).toBeCloseTo(11)
})
