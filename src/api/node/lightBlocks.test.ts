import { expect, test } from 'vitest'
import { readLightBlocks } from './lightBlocks.ts'

/** CometBFT's responses. Each one takes a turn of the event loop. */
const openSource = (missing?: number) => {
  const calls: string[] = []
  let running = 0
  let most = 0
  const answer = async <Value>(call: string, value: Value): Promise<Value> => {
    calls.push(call)
    most = Math.max(most, ++running)
    await new Promise((resolve) => setImmediate(resolve))
    running--
    return value
  }
  const setOf = (height: number): string => (height < 20 ? 'AA' : 'BB')
  const source = {
    view: {
      signedHeader: (height: number) =>
        answer(
          `commit ${height}`,
          height === missing
            ? undefined
            : { header: { validators_hash: setOf(height) }, commit: { block_id: { hash: `0${height}` } } },
        ),
      validators: (height: number) => answer(`validators ${setOf(height)}`, [setOf(height)]),
    },
    headerAt: (number: number) => `header ${number}`,
  }
  return { source, calls, most: () => most }
}
const signal = new AbortController().signal

test('a request reads few heights at once, each once, and each set once', async () => {
  const { source, calls, most } = openSource()
  const heights = Array.from({ length: 64 }, (_, index) => 5 + (index % 30))
  const blocks = await readLightBlocks(source, heights, undefined, signal)
  expect(blocks.map(({ height }) => height)).toEqual(heights)
  expect(blocks[20]).toMatchObject({ height: 25, hash: '0x025', validators: ['BB'], header: 'header 24' })
  expect(most()).toBeLessThanOrEqual(4)
  expect(calls.filter((call) => call.startsWith('commit'))).toHaveLength(30)
  expect(calls.filter((call) => call.startsWith('validators')).sort()).toEqual([
    'validators AA',
    'validators BB',
  ])
})

test('a set that the client has is not read', async () => {
  const { source, calls } = openSource()
  const [block] = await readLightBlocks(source, [6], Uint8Array.of(0xaa), signal)
  expect(block?.validators).toBeNull()
  expect(calls).toEqual(['commit 6'])
})

test('nothing more is read after a failure, or for a client that is gone', async () => {
  const { source, calls } = openSource(5)
  const heights = Array.from({ length: 30 }, (_, index) => 5 + index)
  await expect(readLightBlocks(source, heights, undefined, signal)).rejects.toThrow('block 5 are not kept')
  expect(calls.length).toBeLessThan(12)
  const gone = openSource()
  await expect(readLightBlocks(gone.source, heights, undefined, AbortSignal.abort())).rejects.toThrow()
  expect(gone.calls).toEqual([])
})
