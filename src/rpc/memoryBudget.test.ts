import { expect, test } from 'vitest'
import type { Caller } from './access/access.ts'
import { RateLimiter } from './access/rateLimit.ts'
import { RequestScope } from './dispatch/requestScope.ts'
import { MemoryBudget } from './memoryBudget.ts'

const caller: Caller = { transport: 'http', address: '192.0.2.1', isLocal: false, authorizedUntil: 0 }
const scopeOf = (budget: MemoryBudget): RequestScope =>
  new RequestScope(caller, 10_000, new RateLimiter(0, 0), budget)

test('what is large is rejected before the budget is used up, what is small is not', () => {
  const budget = new MemoryBudget(1_000_000)
  expect(budget.take(700_000, 0)).toBe(true)
  expect(budget.take(100_000, 0)).toBe(false)
  expect(budget.take(1000, 65_000)).toBe(true)
  expect(budget.take(60_000, 750_000)).toBe(false)
  for (let taken = 0; taken < 29; taken++) expect(budget.take(10_000, 0)).toBe(true)
  expect(budget.take(10_000, 0)).toBe(false)
  expect(budget.isTight).toBe(true)
  expect({ used: budget.used, refused: budget.refused }).toEqual({ used: 991_000, refused: 3 })
})

test('a large body counts for more than a small one, and the largest still has room', () => {
  const budget = new MemoryBudget(20_000_000)
  expect(budget.memoryOfBody(1000)).toBe(3000)
  expect(budget.memoryOfBody(65_536)).toBe(3 * 65_536)
  expect(budget.memoryOfBody(100_000)).toBe(1_200_000)
  expect(budget.memoryOfBody(1_000_000)).toBe(7_500_000)
  // The rule of the settings: four times the largest body.
  expect(budget.memoryOfBody(5_000_000)).toBe(15_000_000)
  expect(budget.take(budget.memoryOfBody(5_000_000), 0)).toBe(true)
})

test('a body gives back all that it took, once, however it ends', () => {
  const budget = new MemoryBudget(1_000_000)
  const scope = scopeOf(budget)
  scope.hold(10_000)
  expect(scope.reserve(20_000)).toBe(true)
  expect(() => scope.hold(900_000)).toThrow(/at most 1000000 bytes .*json-rpc\.request-memory/)
  expect(budget.used).toBe(30_000)
  // A response takes the place of what its call has held.
  expect(scope.reserveResponse(12_000)).toBe(true)
  expect(budget.used).toBe(32_000)
  scope.abort()
  expect(budget.used).toBe(32_000)
  scope.release()
  scope.release()
  // Work that goes on although nobody waits takes nothing more.
  expect(scope.reserve(5_000_000)).toBe(true)
  expect(budget.used).toBe(0)
})
