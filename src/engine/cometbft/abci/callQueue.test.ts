import { setImmediate as turn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { CallQueue } from './callQueue.ts'
import { FrameReader } from './frames.ts'

const openQueue = () => {
  const writes: Uint8Array[] = []
  let isPaused = false
  const queue = new CallQueue({
    write: (bytes) => writes.push(bytes),
    pause: () => {
      isPaused = true
    },
    resume: () => {
      isPaused = false
    },
    end: () => {},
  })
  const read = (): string[] => {
    const reader = new FrameReader()
    return writes.flatMap((bytes) =>
      [...reader.push(bytes)].map((message) => Buffer.from(message).toString()),
    )
  }
  return { queue, writes, read, isPaused: () => isPaused }
}

test('calls that end in any order are answered in theirs, those of one turn in one write', async () => {
  const { queue, writes, read } = openQueue()
  const [first, second, third] = [queue.add(), queue.add(), queue.add()]
  third(Buffer.from('3'))
  second(Buffer.from('2'))
  await turn()
  expect(writes).toHaveLength(0)
  first(Buffer.from('1'))
  await turn()
  expect(writes).toHaveLength(1)
  expect(read()).toEqual(['1', '2', '3'])
})

test('who waits is called when the calls before it have ended, whatever comes after them', async () => {
  const { queue } = openQueue()
  expect(queue.whenEnded()).toBeUndefined()
  const [first, second] = [queue.add(), queue.add()]
  let hasEnded = false
  const ended = queue.whenEnded()?.then(() => {
    hasEnded = true
  })
  queue.add()
  second(Buffer.from('2'))
  await turn()
  expect(hasEnded).toBe(false)
  first(Buffer.from('1'))
  await ended
  expect(hasEnded).toBe(true)
})

test('reading pauses while thousands are open, and goes on', async () => {
  const { queue, read, isPaused } = openQueue()
  const ends = Array.from({ length: 5_000 }, () => queue.add())
  expect(isPaused()).toBe(true)
  for (const [at, end] of ends.slice(0, 2_000).entries()) end(Buffer.from(`${at}`))
  await turn()
  expect(isPaused()).toBe(false)
  for (const [at, end] of ends.entries()) if (at >= 2_000) end(Buffer.from(`${at}`))
  await turn()
  expect(read()).toEqual(Array.from({ length: 5_000 }, (_, at) => `${at}`))
})
