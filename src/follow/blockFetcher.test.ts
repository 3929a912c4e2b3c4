import { expect, test } from 'vitest'
import { BlockFetcher } from './blockFetcher.ts'
import { FollowError } from './followError.ts'
import type { Call } from './nodeClient.ts'
import { LineBatch } from './records.ts'

/** A node that rejects all calls with one error. */
const refusing = (message: string, code = -32002) => {
  const asked: (readonly Call[])[] = []
  const retries: string[] = []
  const client = {
    batch: async (calls: readonly Call[]) => {
      asked.push(calls)
      return { outcomes: calls.map(() => ({ error: { code, message } })), bytes: 100 }
    },
    close: () => {},
  }
  const stop = new AbortController()
  const onRetry = (reason: string): void => {
    retries.push(reason)
    stop.abort()
  }
  const fetcher = new BlockFetcher({ traces: true, onRetry }, { client, signal: stop.signal })
  return { asked, retries, read: async () => fetcher.read(3, 3, () => new LineBatch()).next() }
}

test.each([
  'block 3 is pruned: the earliest that is kept is 120',
  'the state of block 3 is not kept: 120 is the earliest',
])('what a node does not keep is not requested again: %s', async (message) => {
  const { asked, retries, read } = refusing(message)
  await expect(read()).rejects.toThrow('--from 120')
  await expect(read()).rejects.toBeInstanceOf(FollowError)
  expect({ asked: asked.length, retries }).toEqual({ asked: 2, retries: [] })
})

test('what may pass is', async () => {
  const { retries, read } = refusing('the chain is being reset: ask again')
  await expect(read()).rejects.toThrow('ask again')
  expect(retries).toHaveLength(1)
})

test('receipts are requested where they are wanted', async () => {
  const asked: string[] = []
  const block = { hash: '0x1', parentHash: '0x0', number: '0x1', timestamp: '0x1', transactions: [] }
  const client = {
    batch: async (calls: readonly Call[]) => {
      asked.push(...calls.map(({ method }) => method))
      const texts = calls.map(({ method }) => (method === 'eth_getBlockByNumber' ? block : []))
      return { outcomes: texts.map((text) => ({ result: Buffer.from(JSON.stringify(text)) })), bytes: 100 }
    },
    close: () => {},
  }
  const dependencies = { client, signal: new AbortController().signal }
  for (const [receipts, traces, also] of [
    [true, false, ['eth_getBlockReceipts']],
    [false, false, []],
    [false, true, ['debug_traceBlockByNumber']],
  ] as const) {
    const fetcher = new BlockFetcher({ receipts, traces, onRetry: () => {} }, dependencies)
    for await (const _ of fetcher.read(1, 1, () => new LineBatch()));
    expect(asked.splice(0)).toEqual(['eth_getBlockByNumber', ...also])
  }
})

test('no more blocks are asked for than the rate says', async () => {
  const startedAt = performance.now()
  const asked: { readonly blocks: number; readonly ms: number }[] = []
  const block = { hash: '0x1', parentHash: '0x0', number: '0x1', timestamp: '0x1', transactions: [] }
  const client = {
    batch: async (calls: readonly Call[]) => {
      asked.push({ blocks: calls.length / 2, ms: performance.now() - startedAt })
      const texts = calls.map(({ method }) => (method === 'eth_getBlockByNumber' ? block : []))
      return { outcomes: texts.map((text) => ({ result: Buffer.from(JSON.stringify(text)) })), bytes: 100 }
    },
    close: () => {},
  }
  const dependencies = { client, signal: new AbortController().signal }
  const fetcher = new BlockFetcher({ traces: false, onRetry: () => {}, maxRate: 100 }, dependencies)
  for await (const _ of fetcher.read(1, 60, () => new LineBatch()));
  expect(asked.reduce((sum, { blocks }) => sum + blocks, 0)).toBe(60)
  // What was asked for before a batch had its time.
  for (const [index, { ms }] of asked.entries()) {
    const before = asked.slice(0, index).reduce((sum, { blocks }) => sum + blocks, 0)
    expect(ms).toBeGreaterThan(before * 10 - 5)
  }
})
