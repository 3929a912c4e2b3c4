import { expect, test } from 'vitest'
import type { NativeBlock } from '../../comet/data/nativeBlock.ts'
import { AheadBudget, blockBytes } from './aheadBudget.ts'

test('what has no room is not kept, unless it is waited for', () => {
  const budget = new AheadBudget(100)
  const [first, second, third] = [budget.open(), budget.open(), budget.open()]
  expect(second.keep('second', 90)).toBe('second')
  expect(third.keep('third', 20)).toBeUndefined()
  first.await()
  expect(first.keep('first', 1_000)).toBe('first')
  expect(third.keep('third', 5)).toBeUndefined()
  first.end()
  expect(third.keep('third', 20)).toBeUndefined()
  expect(third.keep('third', 10)).toBe('third')
})

test('a place that is over keeps nothing, and its room is given once', () => {
  const budget = new AheadBudget(10)
  const [one, other] = [budget.open(), budget.open()]
  expect(one.keep('one', 10)).toBe('one')
  one.end()
  one.end()
  expect(one.keep('one', 1)).toBeUndefined()
  expect(other.keep('other', 11)).toBeUndefined()
  expect(other.keep('other', 10)).toBe('other')
})

test('many transactions of a byte are more than their bytes', () => {
  const block = {
    transactions: Array.from({ length: 1_000 }, () => new Uint8Array(1)),
  } as unknown as NativeBlock
  expect(blockBytes(block)).toBeGreaterThan(100_000)
})
