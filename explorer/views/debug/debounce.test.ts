import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { Debounce } from './debounce.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

test('of values that follow each other closely only the last one runs, once', () => {
  const ran: number[] = []
  const debounce = new Debounce((value: number) => ran.push(value), 150)
  for (let value = 0; value < 20; value++) {
    debounce.push(value)
    vi.advanceTimersByTime(100)
  }
  expect(ran).toEqual([])
  vi.advanceTimersByTime(50)
  expect(ran).toEqual([19])
  vi.advanceTimersByTime(1000)
  expect(ran).toEqual([19])
})

test('a value that was cancelled does not run', () => {
  const ran: number[] = []
  const debounce = new Debounce((value: number) => ran.push(value), 150)
  debounce.push(1)
  debounce.cancel()
  vi.advanceTimersByTime(1000)
  expect(ran).toEqual([])
})
