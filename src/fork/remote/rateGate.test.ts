import { expect, test } from 'vitest'
import { RateGate } from './rateGate.ts'

test('lets everything through until the remote limits, then one pause for all, then a rate', () => {
  let now = 1000
  const gate = new RateGate(17 * 10, () => now)
  expect(gate.reserve(1000)).toBe(0)
  expect(gate.reserve(1000)).toBe(0)
  gate.pause(500)
  expect(gate.reserve(10)).toBe(500)
  // Ten calls a second from then on.
  expect(gate.reserve(5)).toBe(1500)
  now += 500
  expect(gate.reserve(1)).toBe(1500)
})

test('without a rate only pauses count', () => {
  const now = 0
  const gate = new RateGate(0, () => now)
  gate.pause(100)
  expect(gate.reserve(1000)).toBe(100)
  expect(gate.reserve(1000)).toBe(100)
})
