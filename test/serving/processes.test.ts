import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { eventually } from '../support/eventually.ts'
import { type HeadNotice, type LogNotice, Subscriber } from '../support/rpc/subscriber.ts'
import { deployCounter } from './readYourWrite.ts'
import { alice, type Connection, isAlive, ServingNode } from './servingNode.ts'

const first = ([connection]: readonly Connection[]): Connection => connection as Connection // there are some

const send = (connection: Connection, to: string): Promise<string> =>
  connection.call('eth_sendTransaction', { from: alice, to })

describe('two serving processes', () => {
  let node: ServingNode
  let connections: readonly Connection[]
  let contract: string
  beforeAll(async () => {
    node = await ServingNode.start(2)
    connections = await node.connect(2)
    contract = await deployCounter(first(connections))
  })
  afterAll(async () => {
    for (const connection of connections) connection.close()
    await node.remove()
  })

  /** Opens WebSockets until there are some on each process, which the kernel decides. */
  const openSubscribers = (): Promise<readonly Subscriber[]> =>
    Promise.all(Array.from({ length: 12 }, () => Subscriber.open(node.urls.ws as string)))

  test('a filter is known to whichever process is asked', async () => {
    const [filter] = await Promise.all([first(connections).call('eth_newFilter', { address: contract })])
    await send(first(connections), contract)
    const polled = []
    for (const connection of connections)
      polled.push(...(await connection.call<readonly unknown[]>('eth_getFilterChanges', filter)))
    expect(polled).toHaveLength(1)
    for (const connection of connections)
      expect(await connection.call<readonly unknown[]>('eth_getFilterLogs', filter)).not.toHaveLength(0)
  })

  test('a batch of local and forwarded calls is answered in order, and its reads see its writes', async () => {
    const calls = [
      ['eth_call', { to: contract, data: '0x01' }, 'latest'],
      ['eth_sendTransaction', { from: alice, to: contract }],
      ['eth_call', { to: contract, data: '0x01' }, 'latest'],
      ['eth_accounts'],
      ['eth_nothing'],
      ['eth_getTransactionCount', alice, 'pending'],
      ['eth_chainId'],
    ]
    for (const connection of connections) {
      const body = calls.map(([method, ...params], id) => ({ jsonrpc: '2.0', id, method, params }))
      const answers = JSON.parse(await connection.post(JSON.stringify(body))) as {
        id: number
        result?: string
        error?: { code: number }
      }[]
      expect(answers.map(({ id }) => id)).toEqual(calls.map((_, id) => id))
      expect(Number(answers[2]?.result)).toBe(Number(answers[0]?.result) + 1)
      expect(answers[3]?.result).toContain(alice)
      expect(answers[4]?.error?.code).toBe(-32601)
      expect(Number(answers[5]?.result)).toBeGreaterThan(0)
      expect(answers[6]?.result).toBe('0x7a69')
    }
  })

  test('subscriptions over every process are told of every head, log and pending transaction once', async () => {
    const subscribers = await openSubscribers()
    const subscribed = await Promise.all(
      subscribers.map(async (subscriber) => ({
        subscriber,
        heads: await subscriber.subscribe('newHeads'),
        logs: await subscriber.subscribe('logs', { address: contract }),
        pending: await subscriber.subscribe('newPendingTransactions'),
      })),
    )
    const before = Number(await first(connections).call('eth_blockNumber'))
    const sent: string[] = []
    for (let count = 0; count < 10; count++)
      sent.push(await send(connections[count % connections.length] as Connection, contract))
    const wanted = sent.map((_, index) => before + 1 + index)
    for (const { subscriber, heads, logs, pending } of subscribed) {
      const told = await subscriber.wait<HeadNotice>(heads, 10)
      expect(told.map(({ number }) => Number(number))).toEqual(wanted)
      const found = await subscriber.wait<LogNotice>(logs, 10)
      expect(found.map(({ blockNumber }) => Number(blockNumber))).toEqual(wanted)
      expect(await subscriber.wait<string>(pending, 10)).toEqual(sent)
      expect((await subscriber.request('eth_unsubscribe', pending)).result).toBe(true)
      expect((await subscriber.request('eth_unsubscribe', heads)).result).toBe(true)
      expect((await subscriber.request('eth_unsubscribe', heads)).error?.code).toBe(-32000)
    }
    for (const subscriber of subscribers) subscriber.close()
  })

  test('a revert is seen everywhere, with the logs that are gone', async () => {
    const subscribers = await openSubscribers()
    const subscribed = await Promise.all(
      subscribers.map(async (subscriber) => ({ subscriber, logs: await subscriber.subscribe('logs') })),
    )
    const count = () => first(connections).call('eth_call', { to: contract, data: '0x01' }, 'latest')
    const before = await count()
    const number = Number(await first(connections).call('eth_blockNumber'))
    const snapshot = await first(connections).call('evm_snapshot')
    for (let sends = 0; sends < 3; sends++) await send(first(connections), contract)
    expect(await first(connections).call<boolean>('evm_revert', snapshot)).toBe(true)
    for (const connection of connections) {
      expect(Number(await connection.call('eth_blockNumber'))).toBe(number)
      expect(await connection.call('eth_call', { to: contract, data: '0x01' }, 'latest')).toBe(before)
    }
    await first(connections).call('anvil_setBalance', contract, '0x1234')
    for (const connection of connections)
      expect(await connection.call('eth_getBalance', contract, 'latest')).toBe('0x1234')
    await send(first(connections), contract)
    for (const { subscriber, logs } of subscribed) {
      const told = await subscriber.wait<LogNotice & { removed: boolean }>(logs, 7)
      expect(told.map(({ removed, blockNumber }) => [removed, Number(blockNumber) - number])).toEqual([
        ...[1, 2, 3].map((offset) => [false, offset]),
        ...[3, 2, 1].map((offset) => [true, offset]),
        [false, 1],
      ])
      subscriber.close()
    }
  })

  test('health and the sum of all metrics are served by each', async () => {
    const url = node.urls.http as string
    expect((await fetch(`${url}/ready`)).status).toBe(200)
    const countCalls = async (): Promise<number> => {
      const text = await (await fetch(`${url}/metrics`)).text()
      return Number(
        /^perihelion_rpc_requests_total\{method="eth_protocolVersion",outcome="ok"\} (\d+)$/m.exec(text)?.[1],
      )
    }
    for (const connection of connections) await connection.call('eth_protocolVersion')
    expect(await countCalls()).toBe(connections.length)
  })

  test('one that is killed under load is replaced, and nobody else notices', async () => {
    const [killed, spared] = node.workers as readonly [number, number]
    let isDone = false
    const outcomes = connections.map(async (connection) => {
      let failures = 0
      while (!isDone) await connection.call('eth_blockNumber').catch(() => failures++)
      return failures
    })
    process.kill(killed, 'SIGKILL')
    await eventually(() => node.workers.length === 2 && !node.workers.includes(killed))
    isDone = true
    // Each connection of the killed process fails once and is opened again by its client; the others never fail.
    const failures = await Promise.all(outcomes)
    expect(failures.filter((count) => count === 0).length).toBeGreaterThan(0)
    expect(failures.every((count) => count <= 1)).toBe(true)
    expect(isAlive(spared)).toBe(true)
    await send(first(connections), contract)
    const fresh = await node.connect(1)
    const head = await first(connections).call('eth_blockNumber')
    for (const connection of fresh) {
      expect(await connection.call('eth_blockNumber')).toBe(head)
      connection.close()
    }
  })

  test('it stops with all of its processes', async () => {
    const { workers } = node
    expect(await node.stop()).toBe(0)
    expect(workers.filter(isAlive)).toEqual([])
  })
})

test('processes end with the main one, however that ends', async () => {
  const node = await ServingNode.start(2)
  const { workers } = node
  expect(workers).toHaveLength(2)
  node.program.child.kill('SIGKILL')
  await node.program.ended()
  await eventually(() => !workers.some(isAlive))
  await node.remove()
})
