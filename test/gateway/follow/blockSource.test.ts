import { afterEach, expect, test } from 'vitest'
import { UpstreamError } from '../../../src/comet/data/upstreamError.ts'
import { BlockSource } from '../../../src/gateway/follow/blockSource.ts'
import type { Replay } from '../replay/server/server.ts'
import { SyntheticChain } from '../replay/synthetic.ts'
import { Opened } from './harness.ts'

const opened = new Opened()
afterEach(() => opened.closeAll())

const chainOf = (length: number): SyntheticChain =>
  new SyntheticChain({ family: 'cosmos-evm-0.7', length, content: 'empty' })

const sourceOf = ({ url }: Replay): BlockSource => {
  const source = new BlockSource({ name: 'node', url }, 120_000, undefined, false)
  opened.add(source)
  return source
}

test('a node that gives ten thousand validators one by one is not asked ten thousand times', async () => {
  const replay = await opened.serve({ chain: chainOf(3) })
  const source = sourceOf(replay)
  expect(await source.validators(2)).toHaveLength(3)
  await replay.setFaults({
    alter: (method, result) => {
      if (method !== 'validators') return result
      const { validators } = result as { readonly validators: readonly unknown[] }
      return { validators: validators.slice(0, 1), count: '1', total: '10000' }
    },
  })
  await expect(source.validators(2)).rejects.toThrow(UpstreamError)
  expect(replay.asked.get('validators')).toBe(2)
})

test('blocks of many small transactions that come before their turn are not all kept', async () => {
  const length = 128
  const replay = await opened.serve({ chain: chainOf(length) })
  const transactions = Array.from({ length: 12_000 }, () => 'AA==')
  await replay.setFaults({
    alter: (method, result) => {
      if (method === 'block')
        (result as { block: { data: { txs: readonly string[] } } }).block.data.txs = transactions
      return result
    },
  })
  const source = sourceOf(replay)
  const heights: number[] = []
  for await (const { block } of source.stream(1, length)) {
    heights.push(block.header.height)
    expect(block.transactions).toHaveLength(transactions.length)
    // A node answers in the order of calls: all that was requested ahead is there before the second one is taken.
    if (heights.length === 1) await source.block(1)
  }
  expect(heights).toEqual(Array.from({ length }, (_, index) => index + 1))
  // Those that had no room were asked for again.
  expect(replay.asked.get('block')).toBeGreaterThan(length + 1 + 10)
})

test('who waits for the next block is woken when the node is left', async () => {
  const source = sourceOf(await opened.serve({ chain: chainOf(3) }))
  expect(await source.latest()).toBe(3)
  const waiting = source.waitForChange(3_600_000)
  source.close()
  await waiting
})
