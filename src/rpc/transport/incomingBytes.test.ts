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
    expect(incoming.add(length)).toBe(true)
    expect(budget.used).toBe(length)
    incoming.subtractMessage(payload)
    expect(budget.used).toBe(0)
  }
})

test('a ping in the middle of a message takes nothing of what is counted of that', () => {
  const budget = new MemoryBudget(10_000_000)
  const incoming = new IncomingBytes(budget)
  incoming.add(1_000_000)
  incoming.add(6)
  incoming.subtractControlFrame(0)
  expect(budget.used).toBe(1_000_000)
  incoming.set(0)
  expect(budget.used).toBe(0)
})

test('what there is no memory for is not counted', () => {
  const budget = new MemoryBudget(1_000_000)
  const incoming = new IncomingBytes(budget)
  expect(incoming.add(700_000)).toBe(true)
  expect(incoming.add(700_000)).toBe(false)
  expect(budget.used).toBe(700_000)
})
