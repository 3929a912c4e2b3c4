import { describe, expect, test } from 'vitest'
import { runInSlices, type Slice } from '../../base/threads/timeSlice.ts'
import { RpcError } from '../errors.ts'
import { readLongBody } from './envelope.ts'

/** A slice that is over at each look, and counts how often its work let others run. */
const createShortest = () => {
  const counted = { turns: 0 }
  const slice: Slice = {
    isOver: true,
    next: async () => void counted.turns++,
  }
  return { counted, slice }
}

describe('work in slices', () => {
  test('lets others run whenever its slice is over', async () => {
    const { counted, slice } = createShortest()
    const text = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'a', params: [Array(20_000).fill('0x1')] })
    const body = await runInSlices(readLongBody(text, 10), slice, () => false)
    expect(body).toMatchObject({ kind: 'single', call: { id: '1', method: 'a', isLong: true } })
    expect(counted.turns).toBeGreaterThan(text.length / 16_384)
  })

  test('ends when nobody waits for it any more', async () => {
    const { counted, slice } = createShortest()
    const text = `[${'1,'.repeat(50_000)}1]`
    expect(await runInSlices(readLongBody(text, 10), slice, () => counted.turns === 3)).toBeUndefined()
    expect(counted.turns).toBe(3)
  })

  test('reports the time of each slice', async () => {
    const spent: number[] = []
    const { slice } = createShortest()
    const work = (function* (): Generator<undefined, RpcError> {
      yield
      yield
      return new RpcError(1, 'the end')
    })()
    expect(
      await runInSlices(
        work,
        slice,
        () => false,
        (ms) => spent.push(ms),
      ),
    ).toBeInstanceOf(RpcError)
    expect(spent).toHaveLength(3)
  })
})
