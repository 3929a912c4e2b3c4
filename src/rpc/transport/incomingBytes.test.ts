import { expect, test } from 'vitest'
import { MemoryBudget } from '../memoryBudget.ts'
import { IncomingBytes } from './incomingBytes.ts'

test('what is left of messages that were read is nothing, whatever their length', () => {
  const budget = new MemoryBudget(10_000_000)
  const incoming = new IncomingBytes(budget)
  const frames = [
    { payload: 10, length: 16 },
    { payload: 1000, length: 1008 },
    { payload: 70_000, length: 70_014 },
  ]
  for (const { payload, length } of frames) {
    expect(incoming.set(length)).toBe(true)
    expect(budget.used).toBe(length)
    incoming.subtractMessage(payload)
    expect(incoming.settle()).toBe(true)
    expect(budget.used).toBe(0)
  }
})

test('a ping in the middle of a message takes nothing of what is counted of that', () => {
  const budget = new MemoryBudget(10_000_000)
  const incoming = new IncomingBytes(budget)
  incoming.set(1_000_000)
  incoming.add(6)
  incoming.subtractControlFrame(0)
  incoming.settle()
  expect(budget.used).toBe(1_000_000)
  incoming.set(0)
  expect(budget.used).toBe(0)
})

test('what there is no memory for is not counted', () => {
  const budget = new MemoryBudget(1_000_000)
  const incoming = new IncomingBytes(budget)
  expect(incoming.set(700_000)).toBe(true)
  expect(incoming.set(1_400_000)).toBe(false)
  expect(budget.used).toBe(700_000)
  incoming.set(0)
  expect(budget.used).toBe(0)
})

test('messages that are whole in one chunk take nothing, however much is under way', () => {
  const budget = new MemoryBudget(1_000_000)
  const incoming = new IncomingBytes(budget)
  budget.count(1_000_000)
  incoming.add(50_000 + 6)
  for (let left = 50_000; left > 0; left -= 500) incoming.subtractMessage(500 - 8)
  expect(incoming.settle()).toBe(true)
  expect(budget.used).toBe(1_000_006)
})

test('a small message that comes in parts may exceed the limit a little, a large one may not', () => {
  const budget = new MemoryBudget(1_000_000)
  budget.count(1_000_000)
  const [small, large, next] = [0, 1, 2].map(() => new IncomingBytes(budget))
  expect(small?.set(60_000)).toBe(true)
  expect(large?.set(70_000)).toBe(false)
  expect(next?.set(60_000)).toBe(true)
  expect(small?.set(65_536)).toBe(false)
})
