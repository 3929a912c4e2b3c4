import { describe, expect, test } from 'vitest'
import type { Caller } from '../access/access.ts'
import { RateLimiter } from '../access/rateLimit.ts'
import { MemoryBudget } from '../memoryBudget.ts'
import { RequestScope } from './requestScope.ts'

const caller: Caller = { transport: 'http', address: '192.0.2.1', isLocal: false, authorizedUntil: 0 }
const unlimited = new RateLimiter(0, 0)
const scopeOf = (timeoutMs: number, limiter = unlimited): RequestScope =>
  new RequestScope(caller, timeoutMs, limiter, new MemoryBudget(1_000_000))
const never = new Promise<never>(() => {})
const timedOut = expect.objectContaining({ code: -32002 })

describe('the life of a body', () => {
  test('work that is done in time gives its result or its error', async () => {
    const scope = scopeOf(10_000)
    expect(await scope.race(Promise.resolve(1))).toBe(1)
    await expect(scope.race(Promise.reject(new Error('its own')))).rejects.toThrow('its own')
    scope.close()
  })

  test('work past the deadline is given up, and told so', async () => {
    const scope = scopeOf(20)
    const { signal } = scope
    await expect(scope.race(never)).rejects.toEqual(timedOut)
    expect(signal.aborted).toBe(true)
    expect(scope.isOver).toBe(true)
    // A later call of the same batch has no time left.
    await expect(scope.race(never)).rejects.toEqual(timedOut)
  })

  test('what has something to answer waits for no more before the deadline', () => {
    const scope = scopeOf(10_000)
    expect(scope.answerWithinMs).toBeGreaterThan(0)
    expect(scope.answerWithinMs).toBeLessThanOrEqual(9_000)
    const given = new RequestScope(caller, 10_000, unlimited, new MemoryBudget(1), undefined, -5)
    expect(given.answerWithinMs).toBeLessThanOrEqual(-5)
  })

  test('a short response has its memory, however much is under way', () => {
    const budget = new MemoryBudget(1_000)
    budget.count(1_000)
    const scope = new RequestScope(caller, 10_000, unlimited, budget)
    expect(scope.reserveResponse(300)).toBe(false)
    expect(scope.reserveResponse(100)).toBe(true)
    expect(budget.used).toBe(1_100)
    scope.release()
    expect(budget.used).toBe(1_000)
  })

  test('the result of a call takes the place of what it has held, whoever waits for memory', async () => {
    const budget = new MemoryBudget(4_000_000)
    const scope = new RequestScope(caller, 10_000, unlimited, budget)
    scope.hold(2_500_000)
    const other = new RequestScope({ ...caller, address: '192.0.2.2' }, 10_000, unlimited, budget)
    other.count(100_000)
    const isLetIn = other.waitForBody(100_000)
    expect(scope.reserveResponse(2_500_000)).toBe(true)
    expect(budget.used).toBe(2_600_000)
    scope.release()
    expect(await isLetIn).toBe(true)
    other.release()
    expect(budget.used).toBe(0)
  })

  test('a response that is shorter or longer than what its call has held moves only the difference', () => {
    const budget = new MemoryBudget(1_000_000)
    const scope = new RequestScope(caller, 10_000, unlimited, budget)
    scope.hold(500_000)
    expect(scope.reserveResponse(200_000)).toBe(true)
    expect(budget.used).toBe(200_000)
    scope.hold(100_000)
    expect(scope.reserveResponse(150_000)).toBe(true)
    expect(budget.used).toBe(350_000)
    // What is too long gives back what its call has held, because an error is sent in its place.
    scope.hold(100_000)
    expect(scope.reserveResponse(900_000)).toBe(false)
    expect(budget.used).toBe(350_000)
    scope.hold(100_000)
    expect(scope.reserveResponse(100)).toBe(true)
    expect(budget.used).toBe(350_100)
    scope.release()
    expect(budget.used).toBe(0)
  })

  test('every call that is under way is given up', async () => {
    const scope = scopeOf(10_000)
    const calls = [scope.race(never), scope.race(never), scope.race(Promise.resolve(3))]
    await calls[2]
    scope.abort()
    const outcomes = await Promise.allSettled(calls)
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'fulfilled'])
  })

  test('who asks for the signal after the end finds it aborted', () => {
    const scope = scopeOf(10_000)
    scope.abort()
    expect(scope.signal.aborted).toBe(true)
  })

  test('a listener is notified of the deadline, and at once if it has passed', async () => {
    const scope = scopeOf(10)
    await new Promise<void>((resolve) => scope.onAbort(resolve))
    let told = 0
    const forget = scope.onAbort(() => told++)
    expect(told).toBe(1)
    forget()
    scope.abort()
    expect(told).toBe(1)
  })

  test('an error of work that was given up is ignored', async () => {
    const scope = scopeOf(10)
    let fail = (_: Error): void => {}
    const work = new Promise<never>((_, reject) => {
      fail = reject
    })
    await expect(scope.race(work)).rejects.toEqual(timedOut)
    fail(new Error('late'))
    await new Promise((resolve) => setImmediate(resolve)) // an unhandled rejection would fail the run
  })

  test('what is complete is not aborted when its connection closes later', () => {
    const scope = scopeOf(10_000)
    const { signal } = scope
    scope.close()
    scope.abort()
    expect(signal.aborted).toBe(false)
  })

  test('a batch pays for its calls beyond the first', () => {
    const limiter = new RateLimiter(1, 10)
    scopeOf(1000, limiter).chargeBatch(10)
    expect(limiter.take(caller.address)).toBe(0)
    expect(limiter.take(caller.address)).toBe(1)
  })
})
