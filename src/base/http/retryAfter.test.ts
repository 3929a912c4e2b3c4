import { expect, test } from 'vitest'
import { parseRetryAfter } from './retryAfter.ts'

test('Retry-After is seconds or a date', () => {
  expect(parseRetryAfter('2', 0)).toBe(2000)
  expect(parseRetryAfter('Thu, 01 Jan 1970 00:00:10 GMT', 4000)).toBe(6000)
  expect(parseRetryAfter(' 0.5 ', 0)).toBe(500)
  expect(parseRetryAfter('Thu, 01 Jan 1970 00:00:10 GMT', 20_000)).toBe(0)
  expect(parseRetryAfter('soon', 0)).toBeUndefined()
  expect(parseRetryAfter(undefined, 0)).toBeUndefined()
})
