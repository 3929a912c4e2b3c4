import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { closeAfterEach } from '../../../test/gateway/replay/openUpstreams.ts'
import { RpcError } from '../../../test/gateway/replay/server/rpc.ts'
import { eventually } from '../../../test/support/eventually.ts'
import {
  type Lies,
  openSendingNodes,
  type SendingNodes,
  sendsTo,
  signTransfer,
} from '../../../test/support/sendingNodes.ts'
import { keccak256 } from '../../base/crypto/crypto.ts'
import type { GatewayPoolOptions } from './gatewayPoolOptions.ts'

closeAfterEach()

let folder: string
let opened: SendingNodes[] = []
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'unknown-outcome-'))
})
afterEach(async () => {
  for (const { pool } of opened) await pool.close()
  opened = []
  rmSync(folder, { recursive: true })
})

const open = async (
  nodes: Parameters<typeof openSendingNodes>[0],
  options: Pick<GatewayPoolOptions, 'times' | 'whileAway'> = {},
): Promise<SendingNodes> => {
  const sending = await openSendingNodes(nodes, folder, options)
  opened.push(sending)
  return sending
}

type Node = Parameters<typeof openSendingNodes>[0][number]
const sync = 'broadcast_tx_sync'
const timedOut = { code: 1, codespace: 'undefined', log: 'inserting tx: context deadline exceeded' }

const unknown: readonly (readonly [string, Node])[] = [
  [
    "CometBFT's error for an unknown outcome",
    { failAfter: 'broadcast confirmation not received: context deadline exceeded' },
  ],
  ['an application that went away', { failAfter: 'broadcast error on transaction validation: EOF' }],
  ['an error of a proxy', { failAfter: 'the backend took too long' }],
  ['an error that quotes a rejection', { failAfter: 'backend 3: insufficient funds' }],
  ['a connection that is cut after the send', { faults: { cuts: [sync] } }],
  ['a page with status 502', { faults: { pages: { [sync]: 502 } } }],
  ['a page with status 504', { faults: { pages: { [sync]: 504 } } }],
]

test.each(unknown)('a transaction is kept, and found in its block, after %s', async (_, node) => {
  const { chain, pool, block } = await open([node])
  const raw = await signTransfer(0)
  const hash = await pool.submit(raw)
  expect(hash).toEqual(keccak256(raw))
  expect(chain.sent).toHaveLength(1)
  expect(pool.get(hash)?.hash).toEqual(hash)
  block()
  await eventually(() => pool.get(hash) === undefined)
  expect(chain.locate(hash)).toEqual({ number: 11, index: 0 })
  expect(pool.refusals()).toEqual([])
})

test.each([
  ['keep', 1],
  ['refuse', 1],
] as const)(
  'what an application gave up to check may be there: sends while away are set to %s',
  async (whileAway, count) => {
    const { chain, pool, nodes, block } = await open([{ refuse: () => timedOut }], { whileAway })
    const raw = await signTransfer(0)
    const hash = await pool.submit(raw)
    expect(pool.counts()).toEqual({ pending: count, queued: 0 })
    // The application had it in its queue.
    await eventually(() => sendsTo(nodes[0] as never) > 1)
    expect(pool.get(hash)?.hash).toEqual(hash)
    expect(pool.refusals()).toEqual([])
    block()
    expect(chain.included).toEqual([])
  },
)

test('a transaction with an unknown outcome is sent again, and its journal survives a restart', async () => {
  const { nodes, pool } = await open([{ refuse: () => timedOut }])
  const hash = await pool.submit(await signTransfer(0))
  await eventually(() => sendsTo(nodes[0] as never) > 2)
  await pool.close()
  opened = []
  const next = await open([{}])
  await next.pool.restored
  await eventually(() => next.chain.sent.length === 1)
  next.block()
  await eventually(() => next.chain.locate(hash) !== undefined)
})

test('a node that may have taken a transaction outweighs the rejection of the next one', async () => {
  const funds = { code: 5, codespace: 'sdk', log: 'insufficient funds' }
  const { chain, pool, nodes, block } = await open([{ faults: { cuts: [sync] } }, { refuse: () => funds }])
  const hash = await pool.submit(await signTransfer(0))
  expect(nodes.map(sendsTo)).toEqual([1, 1])
  block()
  await eventually(() => pool.get(hash) === undefined)
  expect(chain.included).toHaveLength(1)
})

test('another node is asked after an unknown outcome, and the first stays open to others', async () => {
  const { chain, pool, nodes, upstreams } = await open([
    {
      refuse: () => {
        throw new RpcError(-32_603, 'Internal error', 'odd')
      },
    },
    {},
  ])
  for (let nonce = 0; nonce < 8; nonce++) await pool.submit(await signTransfer(nonce))
  expect(chain.sent).toHaveLength(8)
  expect(nodes.map(sendsTo)).toEqual([8, 8])
  expect(upstreams.stats().upstreams.map(({ state }) => state)).toEqual(['ready', 'ready'])
})

const fail = (data: string): Lies => ({
  refuse: () => {
    throw new RpcError(-32_603, 'Internal error', data)
  },
})
const rejections: readonly (readonly [string, Lies, string])[] = [
  [
    'CheckTx rejects',
    { refuse: () => ({ code: 5, codespace: 'sdk', log: 'sender balance < tx cost: insufficient funds' }) },
    'insufficient funds for gas * price + value',
  ],
  [
    'CometBFT 1.0 passes on what CheckTx rejects',
    fail(
      "broadcast error on transaction validation: tx A1B2 is invalid: code=5, data=, log='it has not: insufficient funds', codespace='sdk'",
    ),
    'insufficient funds for gas * price + value',
  ],
  [
    'the mempool is full',
    fail('mempool is full: number of txs 5 (max: 5), total txs bytes 1 (max: 2)'),
    'txpool is full',
  ],
  [
    'the mempool is being checked',
    fail('mempool is still rechecking after a new committed block, so it is considered as full'),
    'txpool is full',
  ],
  ['it is too large', fail('Tx too large. Max size is 10, but got 200'), 'oversized data'],
  ['it is too large for a block', fail('tx pre check: tx size is too big: 200, max: 10'), 'oversized data'],
]

test.each(rejections)('a known rejection rejects a transaction: %s', async (_, lies, text) => {
  const { pool, nodes } = await open([lies])
  await expect(pool.submit(await signTransfer(0))).rejects.toMatchObject({
    kind: 'refused',
    message: expect.stringContaining(text),
  })
  expect(pool.counts()).toEqual({ pending: 0, queued: 0 })
  expect(nodes.map(sendsTo)).toEqual([1])
})

test('a node that is catching up has not taken it: the rejection of the other one counts', async () => {
  const { pool } = await open([
    fail('endpoint is closed while node is catching up'),
    { refuse: () => ({ code: 5, codespace: 'sdk', log: 'insufficient funds' }) },
  ])
  await expect(pool.submit(await signTransfer(0))).rejects.toMatchObject({ kind: 'refused' })
})
