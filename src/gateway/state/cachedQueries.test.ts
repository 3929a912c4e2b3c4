import { expect, test } from 'vitest'
import type { NativeQueries } from '../client/nativeQueries.ts'
import { CachedQueries } from './cachedQueries.ts'

const limits = { bytes: 1500, answerBytes: 1000 }
const never = new AbortController().signal

const setUp = () => {
  const asked: string[] = []
  const signals: AbortSignal[] = []
  let release: () => void = () => {}
  let gate = Promise.resolve()
  const queries: NativeQueries = {
    query: async (path, request, height, signal) => {
      asked.push(`${path} ${height}`)
      signals.push(signal)
      await gate
      if (signal.aborted) throw signal.reason
      return Uint8Array.of(asked.length, ...request)
    },
    prove: () => Promise.reject(new Error('not asked')),
  }
  return {
    cached: new CachedQueries(limits, queries),
    asked,
    signals,
    hold: () => {
      gate = new Promise((resolve) => {
        release = resolve
      })
    },
    release: () => release(),
  }
}

test('what was answered for a height is not asked again, what is newest always is', async () => {
  const { cached, asked } = setUp()
  const ask = (height: number | undefined) => cached.query('/Account', Uint8Array.of(7), height, never)
  expect([...(await ask(5))]).toEqual([1, 7])
  expect([...(await ask(5))]).toEqual([1, 7])
  await ask(6)
  await ask(undefined)
  await ask(undefined)
  expect(asked).toEqual(['/Account 5', '/Account 6', '/Account undefined', '/Account undefined'])
})

test('the room for answers is limited', async () => {
  const { cached, asked } = setUp()
  for (let height = 1; height <= 20; height++) await cached.query('/Code', new Uint8Array(50), height, never)
  await cached.query('/Code', new Uint8Array(50), 20, never)
  await cached.query('/Code', new Uint8Array(50), 1, never)
  expect(asked.length).toBe(21)
})

test('the same question in flight is asked once, and goes on while anybody waits', async () => {
  const { cached, asked, signals, hold, release } = setUp()
  hold()
  const first = new AbortController()
  const ask = (signal: AbortSignal) => cached.query('/EthCall', Uint8Array.of(1), 9, signal)
  const given = ask(first.signal)
  const kept = ask(never)
  first.abort(new Error('gone'))
  await expect(given).rejects.toThrow('gone')
  expect(signals[0]?.aborted).toBe(false)
  release()
  expect([...(await kept)]).toEqual([1, 1])
  expect(asked.length).toBe(1)
})

test('a question that nobody waits for any more is given up', async () => {
  const { cached, asked, signals, hold, release } = setUp()
  hold()
  const waiting = new AbortController()
  const given = cached.query('/EthCall', Uint8Array.of(1), 9, waiting.signal)
  waiting.abort(new Error('gone'))
  await expect(given).rejects.toThrow('gone')
  expect(signals[0]?.aborted).toBe(true)
  release()
  await cached.query('/EthCall', Uint8Array.of(1), 9, never)
  expect(asked.length).toBe(2)
})
