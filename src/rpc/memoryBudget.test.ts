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

test('a body that waits is let in as soon as there is room, whatever it comes from', async () => {
  const raised = new MemoryBudget(2_000_000)
  raised.count(1_000_000)
  const first = scopeOf(raised)
  first.count(70_000)
  const isRaised = first.waitForBody(70_000)
  raised.setLimit(4_000_000)
  expect(await isRaised).toBe(true)

  const read = new MemoryBudget(2_000_000)
  read.count(1_000_000)
  const second = scopeOf(read)
  second.count(70_000)
  const isRead = second.waitForBody(70_000)
  // What a reader has left unread, as `SendBacklog` counts it.
  read.count(-1_000_000)
  expect(await isRead).toBe(true)
  for (const scope of [first, second]) scope.release()
  expect({ raised: raised.used, read: read.used }).toEqual({ raised: 1_000_000, read: 0 })
})

test('a body of one client does not wait for those of another', async () => {
  const budget = new MemoryBudget(4_000_000)
  budget.count(2_000_000)
  const large = scopeOf(budget)
  large.count(900_000)
  const answer = large.waitForBody(900_000)
  const stranger = new RequestScope(
    { ...caller, address: '192.0.2.2' },
    10_000,
    new RateLimiter(0, 0),
    budget,
  )
  budget.count(-850_000)
  expect(scopeOf(budget).reserveBody(66_000)).toBe(false)
  expect(stranger.reserveBody(66_000)).toBe(true)
  large.abandon()
  expect(await answer).toBe(false)
  large.release()
  stranger.release()
  expect(budget.used).toBe(1_150_000)
})

test('a long body counts as rejected once, when it is rejected, and not when it waits and is let in', async () => {
  const budget = new MemoryBudget(4_000_000, 20)
  budget.count(3_000_000)
  const length = 100_000
  /** What a request handler does with a body. */
  const receive = (scope: RequestScope): Promise<boolean> => {
    if (scope.reserveBody(length)) return Promise.resolve(true)
    scope.count(length)
    return scope.waitForBody(length)
  }
  const scopes = [scopeOf(budget), scopeOf(budget), scopeOf(budget)]
  const rejected = await Promise.all(scopes.slice(0, 2).map(receive))
  expect({ rejected, refused: budget.refused }).toEqual({ rejected: [false, false], refused: 2 })
  const served = receive(scopes[2] as RequestScope)
  budget.count(-2_000_000)
  expect({ isServed: await served, refused: budget.refused }).toEqual({ isServed: true, refused: 2 })
  for (const scope of scopes) scope.release()
  // A shorter one does not wait.
  budget.count(3_000_000)
  const short = scopeOf(budget)
  expect(short.reserveBody(60_000)).toBe(false)
  expect(await short.waitForBody(60_000)).toBe(false)
  expect({ used: budget.used, refused: budget.refused }).toEqual({ used: 4_000_000, refused: 3 })
})
