import { expect, test } from 'vitest'
import { formatBytes, formatSpan } from './figures.ts'

test.each([
  [0, '0 bytes'],
  [999, '999 bytes'],
  [1500, '1.5 kB'],
  [20_000_000, '20 MB'],
  [3e12, '3.0 TB'],
])('%d bytes are %s', (bytes, text) => {
  expect(formatBytes(bytes)).toBe(text)
})

test.each([
  [5, '5 s'],
  [200, '3 min 20 s'],
  [7265, '2 h 1 min'],
  [200_000, '2 d 7 h'],
])('%d seconds are %s', (seconds, text) => {
  expect(formatSpan(seconds)).toBe(text)
})
