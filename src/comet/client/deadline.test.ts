import { expect, test } from 'vitest'
import { heldBy } from '../../../test/support/heldBySignal.ts'
import { isTimeUp, timeLeft, withDeadline } from './deadline.ts'

test('who is asked sees how much time is left, and when it is up', async () => {
  const { signal } = new AbortController()
  expect(timeLeft(signal)).toBeUndefined()
  const limited = await withDeadline(signal, 1, async (inner) => {
    expect(timeLeft(inner)).toBeLessThanOrEqual(1)
    await new Promise((resolve) => inner.addEventListener('abort', resolve))
    return inner
  })
  expect(isTimeUp(limited)).toBe(true)
  expect(timeLeft(limited)).toBe(0)
})

test('a signal that lives on keeps nothing of a request with a deadline', async () => {
  const closing = new AbortController().signal
  for (let i = 0; i < 10; i++) await withDeadline(closing, 3_600_000, async () => undefined)
  expect(heldBy(closing)).toBe(0)
})
