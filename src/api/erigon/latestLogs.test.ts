import { expect, test } from 'vitest'
import { fakeChain } from '../../../test/support/fakeChain.ts'
import type { BlockLogs } from '../../chain/port/logs.ts'
import { errorCodes } from '../../rpc/errors.ts'
import { findLatestLogs } from './latestLogs.ts'

const settings = { logsCap: 0, logsBytesCap: 10 ** 9, blockRangeCap: 0, logsClipToHead: true }
const log = Buffer.from(JSON.stringify({ topics: [`0x${'11'.repeat(32)}`], transactionIndex: '0x0' }))
const everyBlock = {
  address: undefined,
  addresses: [],
  topics: [[new Uint8Array(32).fill(0x22)]],
  blocks: { kind: 'range', from: { kind: 'tag', tag: 'earliest' }, to: { kind: 'tag', tag: 'latest' } },
} as never // what is read
const options = { logCount: 1, blockCount: 0, ignoreTopicsOrder: true }

/** A chain that nobody can search to its end, with a log in each block. */
const endless = () => {
  const number = 10 ** 15
  return fakeChain({
    head: () => ({ number }) as never,
    logs: {
      bounds: () => ({ earliest: 0, firstHere: 0 }),
      searchAll: function* (_: unknown, from: number, to: number): Generator<BlockLogs> {
        for (let at = from; at <= to; at++) yield { number: at, count: 1, text: log, logs: [log] }
      },
    } as never,
    blocks: { resolve: () => 0 } as never,
  })
}

test('a search lets others have their turn, and ends when nobody waits for it', async () => {
  const client = new AbortController()
  setImmediate(() => client.abort())
  const scope = { signal: client.signal, hold: () => {} }
  await expect(findLatestLogs(endless(), settings, everyBlock, options, scope)).rejects.toMatchObject({
    code: errorCodes.unavailable,
  })
})

test('a search counts what it keeps', async () => {
  const scope = {
    signal: new AbortController().signal,
    hold: () => {
      throw new Error('too little memory')
    },
  }
  const first = { ...options, ignoreTopicsOrder: false }
  await expect(findLatestLogs(endless(), settings, everyBlock, first, scope)).rejects.toThrow(
    'too little memory',
  )
})

/** A chain of a thousand blocks with logs in some of them, the numbers of the blocks whose logs were read, and what was searched. */
const chainWith = (countAt: (number: number) => number, firstHere = 0) => {
  const read: number[] = []
  const searched: unknown[] = []
  const logAt = (number: number, index: number): string =>
    JSON.stringify({
      ...{ address: `0x${'aa'.repeat(20)}`, topics: [], blockNumber: `0x${number.toString(16)}` },
      ...{ transactionIndex: `0x${index.toString(16)}` },
    })
  const chain = fakeChain({
    head: () => ({ number: 1000 }) as never,
    logs: {
      bounds: () => ({ earliest: 0, firstHere }),
      searchAll: function* (_: unknown, from: number, to: number): Generator<BlockLogs> {
        searched.push([from, to])
        for (let number = from; number <= to; number++) {
          const count = countAt(number)
          if (count === 0) continue
          read.push(number)
          const logs = Array.from({ length: count }, (_, index) => Buffer.from(logAt(number, index)))
          yield { number, count, text: Buffer.alloc(0), logs }
        }
      },
    } as never,
    blocks: { resolve: () => 0 } as never,
  })
  return { chain, read, searched }
}

const anything = { ...(everyBlock as object), topics: [] } as never // what is read

const find = async (
  chain: ReturnType<typeof fakeChain>,
  counts: Partial<typeof options>,
  { memory = 10 ** 9, ...given }: Partial<typeof settings> & { memory?: number } = {},
) => {
  let held = 0
  const scope = {
    signal: new AbortController().signal,
    hold: (bytes: number) => {
      held += bytes
      if (held > memory) throw new Error('too little memory')
    },
  }
  const wanted = { logCount: 0, blockCount: 0, ignoreTopicsOrder: false, ...counts }
  const { parts } = await findLatestLogs(chain, { ...settings, ...given }, anything, wanted, scope)
  const logs = JSON.parse(Buffer.concat(parts).toString()) as Record<string, string>[]
  return logs.map(({ blockNumber, transactionIndex }) => [Number(blockNumber), Number(transactionIndex)])
}

test('one log of a busy chain reads its last blocks only', async () => {
  const { chain, read } = chainWith(() => 100)
  expect(await find(chain, { logCount: 1 }, { memory: 50_000 })).toEqual([[1000, 99]])
  expect(read.length).toBeLessThan(10)
})

test('a busy time far back is not kept as a whole', async () => {
  const { chain } = chainWith((number) => (number < 900 ? 10 : 0))
  const newest = Array.from({ length: 15 }, (_, at) => [at < 10 ? 899 : 898, 9 - (at % 10)])
  expect(await find(chain, { logCount: 15 }, { memory: 10_000 })).toEqual(newest)
  const blocks = await find(chain, { blockCount: 2 }, { memory: 10_000 })
  expect(blocks).toHaveLength(20)
  await expect(find(chain, { blockCount: 500 }, { memory: 10_000, logsCap: 25 })).rejects.toThrow(
    'more than 25 logs match',
  )
})

test('a search spans as many blocks as are allowed, and says so where it would need more', async () => {
  const { chain, read } = chainWith((number) => (number % 50 === 0 ? 1 : 0))
  const capped = { blockRangeCap: 60 }
  expect(await find(chain, { logCount: 2 }, capped)).toEqual([
    [1000, 0],
    [950, 0],
  ])
  await expect(find(chain, { logCount: 3 }, capped)).rejects.toMatchObject({
    code: errorCodes.limitExceeded,
    data: { setting: 'json-rpc.block-range-cap', limit: 60, fromBlock: '0x3ad' },
  })
  expect(Math.min(...read)).toBe(950)
})

test('no other node is asked for logs before all that are here were searched', async () => {
  const { chain, searched } = chainWith((number) => (number === 998 ? 1 : number === 7 ? 2 : 0), 991)
  expect(await find(chain, { logCount: 1 })).toEqual([[998, 0]])
  expect(searched).toEqual([[997, 1000]])
  searched.length = 0
  expect(await find(chain, { logCount: 3 })).toEqual([
    [998, 0],
    [7, 1],
    [7, 0],
  ])
  // Each block once, the newest first.
  expect(searched).toEqual([
    [997, 1000],
    [991, 996],
    [927, 990],
    [671, 926],
    [0, 670],
  ])
})
