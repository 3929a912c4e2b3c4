import { expect, test } from 'vitest'
import { fakeChain } from '../../../test/support/fakeChain.ts'
import type { StreamedJson } from '../../chain/port/traces.ts'
import { toInMemoryJson } from '../../chain/trace/streamedJson.ts'
import { filterTraces } from './filter.ts'

const settings = { logsCap: 0, logsBytesCap: 10 ** 9, blockRangeCap: 0, logsClipToHead: true }
const filter = {
  fromBlock: undefined,
  toBlock: undefined,
  fromAddresses: [],
  toAddresses: [],
  mode: 'union',
  after: 0,
  count: undefined,
} as const

/** A chain of some blocks, each with these traces. */
const chainOf = (blocks: number, traces: () => StreamedJson) =>
  fakeChain({
    head: () => ({ number: blocks }) as never,
    retention: () => ({ oldestBlock: 0, oldestState: 0 }) as never,
    logs: { bounds: () => ({ earliest: 0, firstHere: 0 }) },
    calls: undefined as never,
    traces: { block: async () => traces(), filterElsewhere: undefined } as never,
    blocks: { transactionCount: () => 1 } as never,
  })

test('the memory of traces is counted before they are read', async () => {
  let isDisposed = false
  const chain = chainOf(1, () => ({
    size: 512 * 2 ** 20,
    bytes: undefined,
    read: () => expect.fail('not reached'),
    dispose: () => {
      isDisposed = true
    },
  }))
  const scope = {
    signal: new AbortController().signal,
    hold: () => {
      throw new Error('too little memory')
    },
  }
  await expect(filterTraces(chain, settings, filter, scope)).rejects.toThrow('too little memory')
  expect(isDisposed).toBe(true)
})

test('the memory of those that are skipped is counted once', async () => {
  let held = 0
  const scope = {
    signal: new AbortController().signal,
    hold: (bytes: number) => {
      held += bytes
    },
  }
  const chain = chainOf(5, () => toInMemoryJson(Buffer.from('[{},{}]')))
  const { parts } = await filterTraces(chain, settings, { ...filter, after: 8 }, scope)
  expect(Buffer.concat(parts).toString()).toBe('[{},{}]')
  expect(held).toBe(7)
})
