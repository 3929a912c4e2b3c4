import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { slow } from '../../../test/support/slow.ts'
import { RateLimiter } from './rateLimit.ts'

describe('the rate limit of an address', () => {
  test('a burst goes through, the next one waits until there is a token', () => {
    const limiter = new RateLimiter(2, 3)
    const at = (ms: number): number => limiter.take('a', ms)
    expect([at(0), at(0), at(0)]).toEqual([0, 0, 0])
    expect(at(0)).toBe(1)
    expect(at(499)).toBe(1)
    expect(at(500)).toBe(0)
    expect(at(500)).toBe(1)
  })

  test('addresses do not share', () => {
    const limiter = new RateLimiter(1, 1)
    expect(limiter.take('a', 0)).toBe(0)
    expect(limiter.take('a', 0)).toBe(1)
    expect(limiter.take('b', 0)).toBe(0)
  })

  test('the addresses of one IPv6 host do share', () => {
    const limiter = new RateLimiter(1, 1)
    expect(limiter.take('2001:db8::1', 0)).toBe(0)
    expect(limiter.take('2001:db8::2', 0)).toBe(1)
    expect(limiter.take('2001:db8:0:1::1', 0)).toBe(0)
  })

  test('a bucket is never fuller than the burst', () => {
    const limiter = new RateLimiter(1, 2)
    limiter.take('a', 0)
    const taken = [0, 1, 2].map(() => limiter.take('a', 1e9))
    expect(taken).toEqual([0, 0, 1])
  })

  test('what a batch costs is paid before the next request', () => {
    const limiter = new RateLimiter(10, 1)
    const now = performance.now()
    expect(limiter.take('a', now)).toBe(0)
    limiter.charge('a', 49, now)
    // 49 tokens of debt and one to spend, at ten a second
    expect(limiter.take('a', now)).toBe(5)
    expect(limiter.take('a', now + 6000)).toBe(0)
  })

  test('0 a second is not a limit', () => {
    const limiter = new RateLimiter(0, 0)
    limiter.charge('a', 1e6)
    expect(limiter.take('a')).toBe(0)
  })

  test('over any time, no more than the burst and the rate get through', slow, () => {
    const steps = fc.array(fc.nat(3000), { maxLength: 200 })
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 50 }),
        fc.integer({ min: 1, max: 50 }),
        steps,
        (rate, burst, gaps) => {
          const limiter = new RateLimiter(rate, burst)
          let now = 0
          let passed = 0
          for (const gap of gaps) {
            now += gap
            if (limiter.take('a', now) === 0) passed++
          }
          expect(passed).toBeLessThanOrEqual(burst + (now / 1000) * rate + 1e-6)
        },
      ),
    )
  })

  test('who waits as long as the response says gets through', slow, () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 50 }), fc.integer({ min: 1, max: 5 }), (rate, burst) => {
        const limiter = new RateLimiter(rate, burst)
        let seconds = 0
        while (seconds === 0) seconds = limiter.take('a', 0)
        expect(limiter.take('a', seconds * 1000)).toBe(0)
      }),
      { numRuns: 30 },
    )
  })
})
