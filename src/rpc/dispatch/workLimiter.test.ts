import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import type { Caller } from '../access/access.ts'
import { RateLimiter } from '../access/rateLimit.ts'
import { MemoryBudget } from '../memoryBudget.ts'
import { RequestScope } from './requestScope.ts'
import { WorkLimiter } from './workLimiter.ts'

const caller: Caller = { transport: 'http', address: '192.0.2.1', isLocal: false, authorizedUntil: 0 }
const scopeOf = (timeoutMs = 10_000): RequestScope =>
  new RequestScope(caller, timeoutMs, new RateLimiter(0, 0), new MemoryBudget(1_000_000))
const limiterOf = (limits: { permits?: number; queue?: number; waitMs?: number }): WorkLimiter =>
  new WorkLimiter('evm', {
    permits: 10,
    queue: 10,
    waitMs: 60_000,
    setting: 'json-rpc.call-queue',
    ...limits,
  })

/** Lets a call wait, and tells what became of it. */
const waitAt = (limiter: WorkLimiter, scope = scopeOf(), onStart: () => void = () => {}) => {
  const call: { state: string } = { state: 'waits' }
  limiter.wait(
    scope,
    () => {
      call.state = 'runs'
      limiter.enter()
      onStart()
    },
    ({ code, message }) => {
      call.state = `${code} ${message}`
    },
  )
  return call
}

test('calls past the permits wait in order, and calls past the queue are rejected at once', async () => {
  const limiter = limiterOf({ permits: 1, queue: 2 })
  limiter.enter()
  expect(limiter.isOpen).toBe(false)
  const calls = [waitAt(limiter), waitAt(limiter), waitAt(limiter)]
  expect(calls[2]?.state).toMatch(/^-32005 .*at most 2 \(json-rpc\.call-queue\)/)
  await nextTurn()
  expect(calls.map(({ state }) => state).slice(0, 2)).toEqual(['waits', 'waits'])
  limiter.leave()
  await nextTurn()
  expect(calls.map(({ state }) => state).slice(0, 2)).toEqual(['runs', 'waits'])
  limiter.leave()
  await nextTurn()
  limiter.leave()
  expect(limiter.stats).toEqual({ running: 0, waiting: 0, refused: 1, admitted: 3 })
  expect(limiter.isOpen).toBe(true)
})

test('a class has a share of each turn of the event loop, whatever waits', async () => {
  const limiter = limiterOf({ permits: 1000, queue: 1000 })
  limiter.spend(100)
  expect(limiter.isOpen).toBe(false)
  const spend = (): void => {
    limiter.spend(2)
    limiter.leave()
  }
  const calls = Array.from({ length: 7 }, () => waitAt(limiter, scopeOf(), spend))
  const ran = (): number => calls.filter(({ state }) => state === 'runs').length
  expect(ran()).toBe(0)
  await nextTurn()
  expect(ran()).toBe(3)
  await nextTurn()
  expect(ran()).toBe(6)
  await nextTurn()
  expect(ran()).toBe(7)
})

test('who goes away while waiting leaves the queue, and who waits too long gets an error', async () => {
  const limiter = limiterOf({ permits: 1, queue: 2, waitMs: 20 })
  limiter.enter()
  const scope = scopeOf()
  const [gone, patient] = [waitAt(limiter, scope), waitAt(limiter)]
  scope.abort()
  expect(gone.state).toMatch(/^-32002 /)
  expect(limiter.stats.waiting).toBe(1)
  await expect.poll(() => patient.state).toMatch(/^-32005 .*json-rpc\.queue-timeout/)
  expect(limiter.stats).toMatchObject({ running: 1, waiting: 0 })
})

test('no wait is longer than the call may take, and who has left already does not wait', async () => {
  const limiter = limiterOf({ permits: 1 })
  limiter.enter()
  const late = waitAt(limiter, scopeOf(20))
  const gone = scopeOf()
  gone.abort()
  expect(waitAt(limiter, gone).state).toMatch(/^-32002 /)
  await expect.poll(() => late.state).toMatch(/^-32002 /)
  expect(limiter.stats).toMatchObject({ running: 1, waiting: 0 })
})
