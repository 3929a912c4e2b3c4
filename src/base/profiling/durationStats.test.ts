import { expect, test } from 'vitest'
import { DurationStats } from './durationStats.ts'

test('times are added up, the longest first', () => {
  const stats = new DurationStats()
  stats.add('a', 1)
  stats.add('b', 5)
  stats.add('a', 2)
  expect(stats.rows()).toEqual([
    { key: 'b', count: 1, milliseconds: 5, longest: 5 },
    { key: 'a', count: 2, milliseconds: 3, longest: 2 },
  ])
})

test('no more than so many keys are kept apart', () => {
  const stats = new DurationStats()
  for (let key = 0; key < 5000; key++) stats.add(String(key), 1)
  stats.add('0', 1)
  expect(stats.rows()).toHaveLength(1001)
  expect(stats.rows()[0]).toEqual({ key: '(others)', count: 4000, milliseconds: 4000, longest: 1 })
})
