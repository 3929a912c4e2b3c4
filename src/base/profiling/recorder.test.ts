import { expect, test } from 'vitest'
import { Recorder } from './recorder.ts'

const never = new AbortController().signal

const setUp = () => {
  const ended: string[] = []
  const recordings = new Recorder('a test', async (file) => async () => {
    ended.push(file)
    return [file]
  })
  return { ended, recordings }
}

test('one at a time, in geth’s words', async () => {
  const { ended, recordings } = setUp()
  await expect(recordings.stop()).rejects.toThrow('a test not in progress')
  await recordings.start('one')
  await expect(recordings.start('two')).rejects.toThrow('a test already in progress')
  await expect(recordings.measure('two', 0, never)).rejects.toThrow('a test already in progress')
  expect(await recordings.stop()).toEqual(['one'])
  expect(await recordings.measure('three', 0, never)).toEqual(['three'])
  expect(ended).toEqual(['one', 'three'])
})

test('one that cannot begin leaves nothing behind', async () => {
  let fails = true
  const recordings = new Recorder('a test', async (file) => {
    if (fails) throw new Error('no')
    return async () => [file]
  })
  await expect(recordings.start('one')).rejects.toThrow('no')
  fails = false
  await recordings.start('two')
  expect(await recordings.stop()).toEqual(['two'])
})

test('a caller that goes away ends its recording, which is written all the same', async () => {
  const { ended, recordings } = setUp()
  const caller = new AbortController()
  const files = recordings.measure('one', 3_600_000, caller.signal)
  setImmediate(() => caller.abort())
  expect(await files).toEqual(['one'])
  expect(ended).toEqual(['one'])
})

test('the end of the process ends it: who waits for it gets it', async () => {
  const { ended, recordings } = setUp()
  const files = recordings.measure('one', 3_600_000, never)
  await new Promise(setImmediate)
  await recordings.close()
  expect(await files).toEqual(['one'])
  const other = setUp()
  await other.recordings.start('two')
  await other.recordings.close()
  expect([...ended, ...other.ended]).toEqual(['one', 'two'])
})
