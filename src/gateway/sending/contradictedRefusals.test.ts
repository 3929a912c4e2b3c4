import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { closeAfterEach } from '../../../test/gateway/replay/openUpstreams.ts'
import { RpcError } from '../../../test/gateway/replay/server/rpc.ts'
import { eventually } from '../../../test/support/eventually.ts'
import { coin } from '../../../test/support/pool.ts'
import {
  type Lies,
  openSendingNodes,
  type SendingNodes,
  sender,
  sendsTo,
  signTransfer,
} from '../../../test/support/sendingNodes.ts'
import { fromHex } from '../../base/encoding/hex.ts'

closeAfterEach()

let folder: string
let opened: SendingNodes[] = []
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'contradicted-'))
})
afterEach(async () => {
  for (const { pool } of opened) await pool.close()
  opened = []
  rmSync(folder, { recursive: true })
})

const open = async (...nodes: Parameters<typeof openSendingNodes>[0]): Promise<SendingNodes> => {
  const sending = await openSendingNodes(nodes, folder, { times: { refusalMs: 0 } })
  opened.push(sending)
  return sending
}

const statesOf = ({ upstreams }: SendingNodes): readonly string[] =>
  upstreams.stats().upstreams.map(({ state }) => state)

const honest: Lies = {}
const says = (code: number, log: string, codespace = 'sdk'): Lies => ({
  refuse: () => ({ code, codespace, log }),
})
const fails = (data: string): Lies => ({
  refuse: () => {
    throw new RpcError(-32_603, 'Internal error', data)
  },
})
const poor = says(5, 'sender balance < tx cost (0 < 210000000000000): insufficient funds')

const refusals: readonly (readonly [string, Lies])[] = [
  ['funds', poor],
  [
    'a used nonce',
    says(1, 'invalid nonce; got 0, expected 5: tx nonce is lower than account nonce', 'undefined'),
  ],
  ['its signature', says(24, 'signature verification failed: tx intended signer does not match')],
  ['a full mempool', fails('mempool is full: number of txs 5 (max: 5), total txs bytes 1 (max: 2)')],
  ['its size', fails('Tx too large. Max size is 10, but got 200')],
  ['nothing', says(99, '')],
]

describe('a rejection of a send', () => {
  test.each(refusals)(
    'of one node for %s is put to another node, which takes the transaction',
    async (_, liar) => {
      const sending = await open(liar, honest)
      const { chain, pool, nodes, block } = sending
      const hash = await pool.submit(await signTransfer(0))
      expect(nodes.map(sendsTo)).toEqual([1, 1])
      block()
      await eventually(() => pool.get(hash) === undefined)
      expect(chain.included).toHaveLength(1)
      // A mempool that differs is not proof of a lie.
      expect(statesOf(sending)).toEqual(['ready', 'ready'])
    },
  )

  test('that another node contradicted has the node asked after the others', async () => {
    const { pool, nodes, logs } = await open(poor, honest)
    await pool.submit(await signTransfer(0))
    await pool.submit(await signTransfer(1))
    expect(nodes.map(sendsTo)).toEqual([1, 2])
    expect(
      logs.filter((line) => line.includes('rejected a transaction that another node accepted')),
    ).toHaveLength(1)
  })

  test('counts if it is that of all nodes', async () => {
    const sending = await open(poor, poor)
    await expect(sending.pool.submit(await signTransfer(0))).rejects.toMatchObject({
      kind: 'refused',
      message: expect.stringMatching(/^insufficient funds for gas \* price \+ value/),
    })
    expect(sending.nodes.map(sendsTo)).toEqual([1, 1])
    expect(sending.pool.counts()).toEqual({ pending: 0, queued: 0 })
    expect(statesOf(sending)).toEqual(['ready', 'ready'])
  })

  test('counts if three nodes make it', async () => {
    const { pool, nodes } = await open(poor, poor, poor, honest)
    await expect(pool.submit(await signTransfer(0))).rejects.toMatchObject({ kind: 'refused' })
    expect(nodes.map(sendsTo)).toEqual([1, 1, 1, 0])
  })

  test('counts if it is that of the only node', async () => {
    const { pool, nodes } = await open(poor)
    await expect(pool.submit(await signTransfer(0))).rejects.toMatchObject({ kind: 'refused' })
    expect(nodes.map(sendsTo)).toEqual([1])
  })

  test('counts if the other node cannot be reached', async () => {
    const sending = await open(poor, honest)
    await sending.nodes[1]?.setFaults({ down: true })
    await expect(sending.pool.submit(await signTransfer(0))).rejects.toMatchObject({ kind: 'refused' })
  })
})

describe('an account', () => {
  const accounts: readonly (readonly [string, Lies])[] = [
    ['has nothing', { account: (told) => ({ ...told, balance: 0n }) }],
    ['has used its nonces', { account: (told) => ({ ...told, nonce: 7n }) }],
  ]

  test.each(accounts)('of which one node says that it %s is asked of others', async (_, liar) => {
    const { chain, pool, nodes } = await open(liar, honest)
    await pool.submit(await signTransfer(0))
    expect(chain.sent).toHaveLength(1)
    expect(nodes.map(sendsTo)).toEqual([1, 0])
    expect(pool.counts()).toEqual({ pending: 1, queued: 0 })
  })

  test.each(accounts)('is believed if the only node says that it %s', async (_, liar) => {
    const { pool, nodes } = await open(liar)
    await expect(pool.submit(await signTransfer(0))).rejects.toMatchObject({ kind: 'refused' })
    expect(nodes.map(sendsTo)).toEqual([0])
  })

  test.each(accounts)(
    'of which one of three says that it %s puts that one into quarantine',
    async (_, liar) => {
      const sending = await open(liar, honest, honest)
      await sending.pool.submit(await signTransfer(0))
      expect(statesOf(sending)).toEqual(['quarantined', 'ready', 'ready'])
    },
  )

  test('that has too little is that of all nodes: the transaction is rejected, and no node suffers', async () => {
    const sending = await open(honest, honest, honest)
    for (const value of [2_000n, 3_000n])
      await expect(sending.pool.submit(await signTransfer(0, value * coin))).rejects.toMatchObject({
        kind: 'refused',
        message: expect.stringMatching(/^insufficient funds/),
      })
    expect(sending.nodes.map(sendsTo)).toEqual([0, 0, 0])
    expect(statesOf(sending)).toEqual(['ready', 'ready', 'ready'])
    // One request of each, and one more that came first; the second rejection needs none.
    const queries = sending.nodes.map(({ asked }) => asked.get('abci_query') ?? 0)
    expect(queries.reduce((sum, count) => sum + count, 0)).toBe(4)
  })

  test('is not told by a node that is a block behind, which is not a liar', async () => {
    const sending = await open({ account: (told) => ({ ...told, balance: 0n }) }, honest, {
      faults: { prunedStateBelow: 1_000 },
    })
    await sending.pool.submit(await signTransfer(0))
    expect(statesOf(sending)).toEqual(['ready', 'ready', 'ready'])
  })

  test('whose state a node pruned (-1) is that of the others, and the node is not a liar', async () => {
    const sending = await open({ account: (told) => ({ ...told, balance: -1n }) }, honest, honest)
    await sending.pool.submit(await signTransfer(0))
    await sending.pool.submit(await signTransfer(1))
    expect(statesOf(sending)).toEqual(['ready', 'ready', 'ready'])
  })

  test('that was replaced for a transaction that fails all the same is as it was', async () => {
    const { pool } = await open({ account: (told) => ({ ...told, balance: coin }) }, honest)
    await pool.submit(await signTransfer(0))
    await expect(pool.submit(await signTransfer(1, 5_000n * coin))).rejects.toMatchObject({ kind: 'refused' })
    expect(pool.pool.stateOf(fromHex(sender))?.balance).toBe(coin)
  })

  test('whose balance shrinks by one node between two sends takes the second one all the same', async () => {
    let isLying = false
    const { chain, pool, block } = await open(
      { account: (told) => (isLying ? { ...told, balance: told.balance / 1_000n } : told) },
      honest,
    )
    await pool.submit(await signTransfer(0))
    chain.forget()
    isLying = true
    block()
    await eventually(() => pool.pool.head.number === 11n)
    await pool.submit(await signTransfer(1, 500n * coin))
    expect(pool.counts()).toEqual({ pending: 2, queued: 0 })
    expect(chain.accounts.get(sender.toLowerCase())?.balance).toBe(1_000n * coin)
  })
})

describe('what was acknowledged', () => {
  const usesNonces: Lies = { account: (told) => ({ ...told, nonce: 7n, balance: 0n }) }

  test('comes back from the journal though the first node says that its nonce is used', async () => {
    const before = await open(honest)
    const hash = await before.pool.submit(await signTransfer(0))
    await before.pool.close()
    opened = []
    const { chain, pool } = await open(usesNonces, honest)
    await pool.restored
    expect(pool.get(hash)?.hash).toEqual(hash)
    await eventually(() => chain.sent.length === 1)
  })

  test('is not given up while one of two nodes says that its nonce is used', async () => {
    const lies: { isLying: boolean } = { isLying: false }
    const liar: Lies = { account: (told) => (lies.isLying ? { ...told, nonce: 7n, balance: 0n } : told) }
    const { pool, block } = await open(liar, honest)
    const hash = await pool.submit(await signTransfer(3))
    lies.isLying = true
    for (let head = 11n; head < 16n; head++) {
      block()
      await eventually(() => pool.pool.head.number === head)
    }
    expect(pool.get(hash)?.hash).toEqual(hash)
    expect(pool.refusals()).toEqual([])
  })

  test('is given up if the only node says so for long', async () => {
    const lies: { isLying: boolean } = { isLying: false }
    const liar: Lies = { account: (told) => (lies.isLying ? { ...told, nonce: 7n, balance: 0n } : told) }
    const { pool, block } = await open(liar)
    const hash = await pool.submit(await signTransfer(3))
    lies.isLying = true
    for (let head = 11n; head < 16n; head++) {
      block()
      await eventually(() => pool.pool.head.number === head)
    }
    expect(pool.get(hash)).toBeUndefined()
  })
})
