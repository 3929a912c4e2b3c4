import { expect, test } from 'vitest'
import { DurationStats } from './durationStats.ts'

test('times are added up, the longest first', () => {
  const tally = new DurationStats()
  tally.add('a', 1)
  tally.add('b', 5)
  tally.add('a', 2)
  expect(tally.rows()).toEqual([
    { key: 'b', count: 1, milliseconds: 5, longest: 5 },
    { key: 'a', count: 2, milliseconds: 3, longest: 2 },
  ])
})

test('no more than so many keys are kept apart', () => {
  const tally = new DurationStats()
  for (let key = 0; key < 5000; key++) tally.add(String(key), 1)
  tally.add('0', 1)
  expect(tally.rows()).toHaveLength(1001)
  expect(tally.rows()[0]).toEqual({ key: '(others)', count: 4000, milliseconds: 4000, longest: 1 })
})
