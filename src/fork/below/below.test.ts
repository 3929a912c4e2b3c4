import { expect, test } from 'vitest'
import type { FeeHistory, Fees } from '../../chain/port/fees.ts'
import type { ChainFork } from '../../chain/port/fork.ts'
import type { BlockLogs, LogReader } from '../../chain/port/logs.ts'
import type { Tracing } from '../../chain/port/traces.ts'
import { RemoteError } from '../../chain/remoteError.ts'
import { historyBelowFork } from './fees.ts'
import { searchBelowFork } from './logs.ts'
import { filterBelowFork } from './traces.ts'

const { signal } = new AbortController()

/** A fork at block 10 whose remote answers this, and the requests that it got. */
const forkAnswering = (answer: (params: readonly unknown[]) => unknown) => {
  const asked: unknown[] = []
  const ask: ChainFork['ask'] = async (method, params) => {
    asked.push([method, ...params])
    return answer(params)
  }
  return { asked, fork: () => ({ number: 10, url: 'http://remote', ask }) as unknown as ChainFork } // all that is used
}

const address = `0x${'aa'.repeat(20)}`
const anything = { addresses: [], topics: [] }
const logOf = (block: number, index: number) => ({ address, blockNumber: `0x${block.toString(16)}`, index })

const localLogs = {
  bounds: () => ({ earliest: 11, firstHere: 0 }),
  search: function* (_: unknown, from: number, to: number): Generator<BlockLogs> {
    for (let number = from; number <= to; number++)
      yield { number, count: 1, text: Buffer.from(`${number}`), logs: [Buffer.from(`${number}`)] }
  },
} as unknown as LogReader

const textsOf = (blocks: Iterable<BlockLogs>) =>
  [...blocks].map(({ number, count, text }) => [number, count, Buffer.from(text).toString()])

test('a search across the fork has the logs of the remote by block, then its own', async () => {
  const { asked, fork } = forkAnswering(() => [logOf(9, 0), logOf(10, 0), logOf(9, 1)])
  const logs = searchBelowFork(localLogs, fork)
  expect(logs.bounds()).toEqual({ earliest: 0, firstHere: 11 })
  const found = [...(await logs.searchAll(anything, 8, 12, signal))]
  expect(textsOf(found)).toEqual([
    [9, 2, `${JSON.stringify(logOf(9, 0))},${JSON.stringify(logOf(9, 1))}`],
    [10, 1, JSON.stringify(logOf(10, 0))],
    [11, 1, '11'],
    [12, 1, '12'],
  ])
  expect(found[0]?.logs.map((log) => JSON.parse(Buffer.from(log).toString()))).toEqual([
    logOf(9, 0),
    logOf(9, 1),
  ])
  expect(asked).toEqual([['eth_getLogs', { fromBlock: '0x8', toBlock: '0xa' }]])
})

test('logs that were not requested are rejected', async () => {
  for (const answer of [null, [null], [logOf(11, 0)], [{ ...logOf(9, 0), blockNumber: 9 }]]) {
    const logs = searchBelowFork(localLogs, forkAnswering(() => answer).fork)
    await expect(logs.searchAll(anything, 8, 12, signal)).rejects.toMatchObject({ kind: 'unavailable' })
  }
  const { fork } = forkAnswering(() => [logOf(9, 0)])
  const wanted = { addresses: [new Uint8Array(20)], topics: [] }
  await expect(searchBelowFork(localLogs, fork).searchAll(wanted, 8, 9, signal)).rejects.toMatchObject({
    kind: 'unavailable',
  })
})

const history: FeeHistory = {
  oldest: 11,
  baseFees: [30n, 31n],
  gasUsedRatios: [0.3],
  blobBaseFees: [2n, 2n],
  blobGasUsedRatios: [0.1],
  rewards: [[5n]],
}

const feesOf = (head: number, answer: unknown) => {
  const { asked, fork } = forkAnswering(() => answer)
  const local: unknown[] = []
  const fees = {
    nextBaseFee: () => 77n,
    history: async (count: number) => {
      local.push(count)
      return history
    },
  } as unknown as Fees
  return { asked, local, fees: historyBelowFork(fees, { fork, head: () => head, resolve: () => head }) }
}

const latest = { kind: 'tag', tag: 'latest' } as const
const below = {
  oldestBlock: '0x9',
  baseFeePerGas: ['0x1', '0x2', '0x3'],
  gasUsedRatio: [0.1, 0.2],
  reward: [['0x1'], ['0x2']],
}

test('a history across the fork is that of the remote and then the local one', async () => {
  const { asked, local, fees } = feesOf(11, below)
  expect(await fees.history(3, latest, [50], signal)).toEqual({
    oldest: 9,
    baseFees: [1n, 2n, 30n, 31n],
    gasUsedRatios: [0.1, 0.2, 0.3],
    // The remote knows no blobs.
    blobBaseFees: [0n, 0n, 2n, 2n],
    blobGasUsedRatios: [0, 0, 0.1],
    rewards: [[1n], [2n], [5n]],
  })
  expect(asked).toEqual([['eth_feeHistory', '0x2', '0xa', [50]]])
  expect(local).toEqual([1])
})

test('the fee after the fork block is that of this chain, if the fork block is the head', async () => {
  const { fees } = feesOf(10, below)
  expect((await fees.history(2, latest, [50], signal)).baseFees).toEqual([1n, 2n, 77n])
})

test('a history of local blocks asks nobody, and one of other blocks is rejected', async () => {
  const { asked, fees } = feesOf(11, { ...below, oldestBlock: '0x8' })
  expect(await fees.history(1, latest, undefined, signal)).toBe(history)
  expect(asked).toEqual([])
  await expect(fees.history(3, latest, undefined, signal)).rejects.toMatchObject({ kind: 'unavailable' })
})

test.each([
  ['none', undefined],
  ['too few blocks', [['0x1']]],
  ['too few of a block', [['0x1'], []]],
  ['an invalid number', [['0x1'], [2]]],
])('tips that were requested and are not there are no history: %s', async (_name, reward) => {
  const { fees } = feesOf(11, { ...below, reward })
  await expect(fees.history(3, latest, [50], signal)).rejects.toMatchObject({ kind: 'unavailable' })
  expect((await fees.history(2, { kind: 'number', number: 10n }, undefined, signal)).rewards).toBeUndefined()
})

test('traces up to the fork block are filtered by the remote', async () => {
  const { asked, fork } = forkAnswering(() => [{ blockNumber: 9 }])
  const traces = filterBelowFork({} as Tracing, fork)
  const query = { callers: [], callees: [new Uint8Array(20)], mode: 'intersection', limit: 7 } as const
  const found = await traces.filterElsewhere?.(query, 8, 12, signal)
  expect(found).toEqual({ last: 10, json: Buffer.from('[{"blockNumber":9}]') })
  const filter = { fromBlock: '0x8', toBlock: '0xa', toAddress: [`0x${'00'.repeat(20)}`] }
  expect(asked).toEqual([['trace_filter', { ...filter, mode: 'intersection', count: 7 }]])
  expect(traces.filterElsewhere?.(query, 11, 12, signal)).toBe(undefined)
})

test('a remote that has no traces is told apart, with where they begin here', async () => {
  const { fork } = forkAnswering(() => {
    throw new RemoteError(-32_004, 'no traces')
  })
  const query = { callers: [], callees: [], mode: 'union', limit: undefined } as const
  await expect(
    filterBelowFork({} as Tracing, fork).filterElsewhere?.(query, 8, 12, signal),
  ).rejects.toMatchObject({
    kind: 'unsupported',
    message: expect.stringMatching(/from block 0xb on/),
  })
})
