import { expect, test } from 'vitest'
import { OverlapChoice } from './overlap.ts'

const choiceAfter = (syncMs: number): OverlapChoice => {
  const choice = new OverlapChoice()
  choice.onSync(syncMs)
  return choice
}

test.each([
  ['a fast disk costs less than a block more', 3, { executeMs: 20, transactions: 40, waiting: 40 }, false],
  ['a slow one hides the execution', 12, { executeMs: 20, transactions: 40, waiting: 40 }, true],
  [
    'one so slow that all fit into it is waited for',
    60,
    { executeMs: 20, transactions: 40, waiting: 40 },
    false,
  ],
  ['few who wait join those who are answered', 12, { executeMs: 20, transactions: 40, waiting: 19 }, false],
  ['who is in this one does not wait for long', 12, { executeMs: 20, transactions: 40, waiting: 60 }, false],
  ['a block of nobody is waited for', 12, { executeMs: 20, transactions: 0, waiting: 40 }, false],
])('%s', (_, syncMs, measures, expected) => {
  expect(choiceAfter(syncMs).isWorthwhile(measures)).toBe(expected)
})

test('now and then one is waited for, to measure and to prune', () => {
  const choice = choiceAfter(12)
  const next = () => choice.isWorthwhile({ executeMs: 20, transactions: 40, waiting: 40 })
  expect([next(), next(), next()]).toEqual([true, true, false])
  choice.onSync(12)
  expect(next()).toBe(true)
})
