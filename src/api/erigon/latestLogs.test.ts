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
    fork: undefined,
    retention: () => ({ oldestBlock: 0 }) as never,
    logs: {
      search: function* (_: unknown, from: number, to: number): Generator<BlockLogs> {
        for (let at = from; at <= to; at++) yield { number: at, count: 1, text: log, logs: [log] }
      },
    } as never,
    blocks: { resolve: () => 0 } as never,
  })
}

test('a search lets others have their turn, and ends when nobody waits for it', async () => {
  const client = new AbortController()
  setTimeout(() => client.abort(), 20)
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
