import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sendHttp } from '../support/clients.ts'
import { eventually } from '../support/eventually.ts'
import { alice, deployFlood } from '../support/logContract.ts'
import { startTestNode, type TestNode } from '../support/node.ts'
import { Subscriber } from '../support/rpc/subscriber.ts'
import { slow } from '../support/slow.ts'

interface Log {
  readonly blockNumber: string
}

describe('readers of notifications', () => {
  let node: TestNode
  beforeAll(async () => {
    node = await startTestNode('--json-rpc.ws-max-backlog=1MB')
  })
  afterAll(() => node.close())

  /** A figure of the metrics page, all its labels together. */
  const metric = async (name: string): Promise<number> => {
    const { body } = await sendHttp(node.http, { method: 'GET', path: '/metrics' })
    const values = [...body.matchAll(new RegExp(`^${name}(?:\\{[^}]*\\})? (\\S+)$`, 'gm'))]
    return values.reduce((sum, [, value]) => sum + Number(value), 0)
  }

  test.each(['ws', 'ipc'] as const)('one that does not read is cut off over %s', async (transport) => {
    const flood = await deployFlood(node)
    const target = transport === 'ws' ? node.ws : node.ipcPath
    // Those of the test before may be on their way out.
    await eventually(async () => (await metric('perihelion_subscriptions')) === 0)
    const [slow, quick] = [await Subscriber.open(target), await Subscriber.open(target)]
    const [slowId, quickId] = [
      await slow.subscribe('logs', { address: flood.address }),
      await quick.subscribe('logs', { address: flood.address }),
    ]
    if ('pause' in slow.socket) slow.socket.pause()
    const before = await metric('perihelion_subscriptions')
    let sent = 0
    // Each log is 1 MB as text. What the sockets of both sides hold comes on top of the backlog.
    while ((await metric('perihelion_subscriptions')) === before) {
      expect(++sent).toBeLessThan(60)
      await flood.emit(500_000)
      // One that reads is never behind by more than what it is being sent.
      await quick.wait<Log>(quickId, sent)
    }
    await flood.emit(10)
    if ('resume' in slow.socket) slow.socket.resume()
    const { code } = await slow.closed
    if (transport === 'ws') expect(code).toBe(1013)

    // What it got is all that came up to a block; nothing is missing in between.
    const all = await quick.wait<Log>(quickId, sent + 1)
    const got = slow.received<Log>(slowId)
    expect(got.length).toBeLessThan(sent)
    expect(got).toEqual(all.slice(0, got.length))
    expect(all).toHaveLength(sent + 1)
    quick.close()
  })

  test('a connection that ends leaves nothing behind', slow, async () => {
    await eventually(async () => (await metric('perihelion_subscriptions')) === 0)
    const clients = await Promise.all(
      Array.from({ length: 20 }, (_, index) => Subscriber.open(index % 2 === 0 ? node.ws : node.ipcPath)),
    )
    const kinds = ['newHeads', 'logs', 'newPendingTransactions', 'syncing', 'transactionReceipts']
    for (const client of clients) for (const kind of kinds) await client.subscribe(kind)
    for (const client of clients) await client.subscribe('logs', { fromBlock: '0x0' })
    expect(await metric('perihelion_subscriptions')).toBe(120)
    for (const client of clients) client.close()
    await eventually(async () => (await metric('perihelion_subscriptions')) === 0)
    await node.call('eth_sendTransaction', { from: alice, to: alice, gas: '0x5208' })
  })
})
