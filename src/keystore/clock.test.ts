import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { monotonicClock } from './clock.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

const day = 24 * 3600 * 1000

test.each([1, 1000, 24 * day, 25 * day, 100 * day, 1000 * day])('%d ms are that long', (ms) => {
  const run = vi.fn()
  monotonicClock.schedule(ms, run)
  vi.advanceTimersByTime(ms - 1)
  expect(run).not.toHaveBeenCalled()
  vi.advanceTimersByTime(1)
  expect(run).toHaveBeenCalledTimes(1)
})

test.each([1000, 100 * day])('%d ms can be called off, early and late', (ms) => {
  for (const passed of [0, ms / 2, ms - 1]) {
    const run = vi.fn()
    const cancel = monotonicClock.schedule(ms, run)
    vi.advanceTimersByTime(passed)
    cancel()
    vi.advanceTimersByTime(2 * ms)
    expect(run).not.toHaveBeenCalled()
  }
})
