import { expect, test } from 'vitest'
import { giveBack, lendBytes } from './lentBytes.ts'

const length = 3_000_000

test('bytes that were given back are lent again, and only once', () => {
  const first = lendBytes(length)
  giveBack(first)
  giveBack(first)
  const again = lendBytes(length - 7)
  expect(again.length).toBe(length - 7)
  expect(again.buffer).toBe(first.buffer)
  expect(lendBytes(length).buffer).not.toBe(first.buffer)
})

test('bytes that were not given back, or not lent, belong to who has them', () => {
  const held = lendBytes(length)
  const own = new Uint8Array(length)
  giveBack(own)
  giveBack(held.subarray(1))
  const next = lendBytes(length)
  expect(next.buffer).not.toBe(held.buffer)
  expect(next.buffer).not.toBe(own.buffer)
})

test('a short text gets no long memory: its client is charged with the short one', () => {
  giveBack(lendBytes(length))
  for (const short of [33_000, 70_000, 1_000_000])
    expect(lendBytes(short).buffer.byteLength).toBeLessThanOrEqual(Math.max(65_536, 2 * short))
})

test('what waits to be lent has a bound', () => {
  const all = Array.from({ length: 10 }, () => lendBytes(length))
  for (const bytes of all) giveBack(bytes)
  const buffers = new Set(all.map(({ buffer }) => buffer))
  const next = Array.from({ length: 10 }, () => lendBytes(length))
  expect(next.filter(({ buffer }) => buffers.has(buffer)).length).toBeLessThanOrEqual(2)
  expect(lendBytes(20_000_000).length).toBe(20_000_000)
})
