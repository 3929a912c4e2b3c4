import { expect, test } from 'vitest'
import { ResponseCache } from './responseCache.ts'

const kilobyte = 1024
const length = 64 * kilobyte
const header = new Uint8Array(32)

/** Asks for a block as the reader does; returns whether it was there. */
const ask = (cache: ResponseCache, number: number, bytes = length): boolean => {
  if (cache.get(number, 'full') !== undefined) return true
  if (cache.admits(number, 'full', bytes)) cache.set(number, 'full', { header, text: new Uint8Array(bytes) })
  return false
}

test('a response is kept when it comes for the second time', () => {
  const cache = new ResponseCache(1024 * kilobyte)
  expect([1, 2, 3, 4].map(() => ask(cache, 7))).toEqual([false, false, true, true])
  cache.delete(7, 'full')
  expect([1, 2, 3].map(() => ask(cache, 7))).toEqual([false, false, true])
})

test('blocks that are read one after the other are not kept, also if they are read again after more than there is room', () => {
  const cache = new ResponseCache(1024 * kilobyte)
  const blocks = Array.from({ length: 20 }, (_, index) => index)
  for (let round = 0; round < 3; round++) expect(blocks.some((number) => ask(cache, number))).toBe(false)
  const few = blocks.slice(0, 10)
  for (const number of [...few, ...few]) ask(cache, number)
  expect(few.every((number) => ask(cache, number))).toBe(true)
})

test('short responses are not kept', () => {
  const cache = new ResponseCache(1024 * kilobyte)
  expect([1, 2, 3].map(() => ask(cache, 7, kilobyte))).toEqual([false, false, false])
})
