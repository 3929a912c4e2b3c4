import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { postJson } from '../support/clients.ts'
import { alice, deployEcho, word } from '../support/logContract.ts'
import { startTestNode, type TestNode } from '../support/node.ts'
import { Subscriber } from '../support/rpc/subscriber.ts'

interface Receipt {
  readonly transactionHash: string
  readonly logs: readonly { readonly address: string; readonly topics: readonly string[] }[]
}

const bob = '0x70997970c51812dc3a010c7d01b50e0d17dc79c8'

describe.each(['ws', 'ipc'] as const)('subscriptions over %s', (transport) => {
  let node: TestNode
  let contract: Awaited<ReturnType<typeof deployEcho>>
  let client: Subscriber

  beforeAll(async () => {
    node = await startTestNode('--json-rpc.subscription-cap=20')
    contract = await deployEcho(node)
    client = await Subscriber.open(transport === 'ws' ? node.ws : node.ipcPath)
  })
  afterAll(async () => {
    client.close()
    await node.close()
  })

  const send = (): Promise<string> =>
    node.call('eth_sendTransaction', { from: alice, to: bob, value: '0x1', gas: '0x5208' })
  const head = async (): Promise<number> => Number(await node.call('eth_blockNumber'))

  test('newHeads: the header of each block, in order', async () => {
    const id = await client.subscribe('newHeads')
    expect(id).toMatch(/^0x[1-9a-f][0-9a-f]{31}$/)
    const first = (await head()) + 1
    for (let count = 0; count < 3; count++) await send()
    const wanted = await Promise.all(
      [0, 1, 2].map((index) => node.call('eth_getHeaderByNumber', `0x${(first + index).toString(16)}`)),
    )
    expect(await client.wait(id, 3)).toEqual(wanted)
    expect((await client.request('eth_unsubscribe', id)).result).toBe(true)
  })

  test('newHeads with transactions: the whole block', async () => {
    const id = await client.subscribe('newHeads', { includeTransactions: true })
    const hash = await send()
    const [block] = await client.wait<{ transactions: { hash: string }[] }>(id, 1)
    expect(block).toEqual(await node.call('eth_getBlockByNumber', 'latest', true))
    expect(block?.transactions.map((transaction) => transaction.hash)).toEqual([hash])
    await client.request('eth_unsubscribe', id)
  })

  test('logs: those that match, as the receipts have them', async () => {
    const topic = (value: number): string => `0x${word(value)}`
    const all = await client.subscribe('logs', {})
    const again = await client.subscribe('logs')
    const ofContract = await client.subscribe('logs', { address: contract.address })
    const ofTopic = await client.subscribe('logs', { topics: [topic(7)] })
    const ofEither = await client.subscribe('logs', {
      address: [contract.address],
      topics: [[topic(7), topic(8)]],
    })
    const ofNobody = await client.subscribe('logs', { address: bob })
    const tooLong = await client.subscribe('logs', { topics: [null, null] })
    const hashes = []
    for (const value of [7, 8, 9]) hashes.push(await contract.emit(value, value * 2))
    const receipts = await Promise.all(
      hashes.map((hash) => node.call<Receipt>('eth_getTransactionReceipt', hash)),
    )
    const logs = receipts.flatMap((receipt) => receipt.logs)
    expect(logs).toHaveLength(3)
    expect(await client.wait(all, 3)).toEqual(logs)
    expect(await client.wait(again, 3)).toEqual(logs)
    expect(await client.wait(ofContract, 3)).toEqual(logs)
    expect(await client.wait(ofTopic, 1)).toEqual([logs[0]])
    expect(await client.wait(ofEither, 2)).toEqual([logs[0], logs[1]])
    expect(client.told(ofNobody)).toEqual([])
    expect(client.told(tooLong)).toEqual([])
    for (const id of [all, again, ofContract, ofTopic, ofEither, ofNobody, tooLong]) {
      expect((await client.request('eth_unsubscribe', id)).result).toBe(true)
    }
  })

  test('newPendingTransactions: hashes, or whole transactions', async () => {
    const hashes = await client.subscribe('newPendingTransactions')
    const whole = await client.subscribe('newPendingTransactions', true)
    const sent = [await send(), await send()]
    expect(await client.wait(hashes, 2)).toEqual(sent)
    const transactions = await client.wait<Record<string, unknown>>(whole, 2)
    expect(transactions.map(({ hash }) => hash)).toEqual(sent)
    const included = await node.call<Record<string, unknown>>('eth_getTransactionByHash', sent[0])
    // In the pool it has no place yet, and its price is the most that it would pay.
    expect(transactions[0]).toEqual({
      ...included,
      blockHash: null,
      blockNumber: null,
      blockTimestamp: null,
      transactionIndex: null,
      gasPrice: included.maxFeePerGas,
    })
    for (const id of [hashes, whole]) await client.request('eth_unsubscribe', id)
  })

  test('syncing: how things stand comes first', async () => {
    const id = await client.subscribe('syncing')
    expect(await client.wait(id, 1)).toEqual([false])
    await client.request('eth_unsubscribe', id)
  })

  test('transactionReceipts: those of a block, all or the ones asked for', async () => {
    const all = await client.subscribe('transactionReceipts')
    const none = await client.subscribe('transactionReceipts', {
      transactionHashes: [`0x${'00'.repeat(32)}`],
    })
    const hash = await contract.emit(5)
    const receipt = await node.call('eth_getTransactionReceipt', hash)
    expect(await client.wait(all, 1)).toEqual([[receipt]])
    // The chain is taken back, so that the hash is known before its block comes again.
    const one = await client.subscribe('transactionReceipts', { transactionHashes: [hash] })
    const raw = await node.call('eth_getRawTransactionByHash', hash)
    await node.call('debug_setHead', `0x${((await head()) - 1).toString(16)}`)
    await node.call('eth_sendRawTransaction', raw)
    expect(await client.wait(one, 1)).toEqual([[await node.call('eth_getTransactionReceipt', hash)]])
    expect(client.told(none)).toEqual([])
    for (const id of [all, none, one]) await client.request('eth_unsubscribe', id)
  })

  test('a batch is answered before the first notification of a subscription in it', async () => {
    const transfer = { from: alice, to: bob, value: '0x1', gas: '0x5208' }
    const [heads, sent, logs, pending, , late] = await client.batch([
      ['eth_subscribe', 'newHeads'],
      ['eth_sendTransaction', transfer],
      ['eth_subscribe', 'logs', { address: contract.address }],
      ['eth_subscribe', 'newPendingTransactions'],
      [
        'eth_sendTransaction',
        { ...transfer, to: contract.address, data: `0x${word(1)}${word(2)}`, gas: '0xc350' },
      ],
      ['eth_subscribe', 'newHeads'],
    ])
    const id = heads?.result as string
    // Both blocks were made before the batch was answered; neither is lost.
    const told = await client.wait<{ number: string }>(id, 2)
    const number = await head()
    expect(told.map((header) => Number(header.number))).toEqual([number - 1, number])
    expect(sent?.result).toMatch(/^0x/)
    expect(await client.wait(logs?.result as string, 1)).toHaveLength(1)
    expect(await client.wait(pending?.result as string, 1)).toHaveLength(1)
    expect(client.told(late?.result as string)).toEqual([])
    const answeredAt = client.arrived.findIndex((message) => Array.isArray(message))
    const ids = new Set([heads, logs, pending].map((answer) => answer?.result))
    const toldAt = client.arrived.findIndex((message) =>
      ids.has((message as { params?: { subscription: string } }).params?.subscription),
    )
    expect(toldAt).toBeGreaterThan(answeredAt)
    for (const answer of [heads, logs, pending, late]) await client.request('eth_unsubscribe', answer?.result)
  })

  test('after eth_unsubscribe nothing comes; an id that is not of this connection is not found', async () => {
    const other = await Subscriber.open(node.ws)
    const [id, foreign] = [await client.subscribe('newHeads'), await other.subscribe('newHeads')]
    expect((await client.request('eth_unsubscribe', id)).result).toBe(true)
    await send()
    await other.wait(foreign, 1)
    expect(client.told(id)).toEqual([])
    for (const gone of [id, foreign, '0x1']) {
      const { error } = await client.request('eth_unsubscribe', gone)
      expect(error).toEqual({ code: -32000, message: 'subscription not found' })
    }
    other.close()
  })

  test('a connection has only so many', async () => {
    const other = await Subscriber.open(transport === 'ws' ? node.ws : node.ipcPath)
    const ids: string[] = []
    for (let count = 0; count < 20; count++) ids.push(await other.subscribe('newHeads'))
    expect(new Set(ids).size).toBe(20)
    const { error } = await other.request('eth_subscribe', 'newHeads')
    expect(error).toMatchObject({ code: -32005, message: expect.stringContaining('subscription-cap') })
    await other.request('eth_unsubscribe', ids[0])
    await other.subscribe('newHeads')
    other.close()
  })

  test.each([
    ['an unknown kind', ['newBlocks']],
    ['an option of another kind', ['newHeads', { address: bob }]],
    ['no object', ['newHeads', true]],
    ['options where there are none', ['syncing', { fromBlock: '0x0' }]],
    ['a block ahead of the head', ['newHeads', { fromBlock: '0xffffff' }]],
    ['logs from ahead of the head', ['logs', { fromBlock: '0xffffff' }]],
    ['logs with an end', ['logs', { toBlock: '0x1' }]],
    ['logs of one block', ['logs', { blockHash: `0x${'00'.repeat(32)}` }]],
    ['a bad address', ['logs', { address: '0x12' }]],
    ['hashes that are none', ['transactionReceipts', { transactionHashes: ['0x12'] }]],
  ])('%s is refused', async (_, params) => {
    const { error } = await client.request('eth_subscribe', ...params)
    expect(error?.code).toBe(-32602)
  })

  test('over HTTP there are none', async () => {
    for (const [method, params] of [
      ['eth_subscribe', ['newHeads']],
      ['eth_unsubscribe', ['0x1']],
    ]) {
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
      const { error } = JSON.parse(await postJson(node.http, body)) as { error: object }
      expect(error).toMatchObject({ code: -32004, message: expect.stringContaining('WebSocket') })
    }
  })
})
