import { WebSocketProvider } from 'ethers'
import { createPublicClient, parseAbiItem, webSocket } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Web3 } from 'web3'
import { readMetric } from '../load/flood/measure.ts'
import { eventually } from '../support/eventually.ts'
import { alice, deployEcho, word } from '../support/logContract.ts'
import { startTestNode, type TestNode } from '../support/node.ts'

/** Subscriptions as applications make them. */
describe('the libraries that people use', () => {
  let node: TestNode
  let contract: Awaited<ReturnType<typeof deployEcho>>
  beforeAll(async () => {
    node = await startTestNode()
    contract = await deployEcho(node)
  })
  afterAll(() => node.close())

  const topic = (value: number): `0x${string}` => `0x${word(value)}`
  const head = async (): Promise<number> => Number(await node.call('eth_blockNumber'))
  const subscribed = (count: number): Promise<void> =>
    eventually(async () => (await readMetric(node.http, /^perihelion_subscriptions\{/)) === count)

  test('ethers hears blocks, pending transactions and logs', async () => {
    const provider = new WebSocketProvider(node.ws)
    const blocks: number[] = []
    const pending: string[] = []
    const logs: string[] = []
    await provider.on('block', (number: number) => blocks.push(number))
    await provider.on('pending', (hash: string) => pending.push(hash))
    await provider.on({ address: contract.address, topics: [topic(1)] }, (log: { transactionHash: string }) =>
      logs.push(log.transactionHash),
    )
    // ethers subscribes when it gets to it.
    await subscribed(3)
    const sent = [await contract.emit(1), await contract.emit(2), await contract.emit(1)]
    await eventually(() => blocks.length >= 3 && pending.length >= 3 && logs.length >= 2)
    const last = await head()
    expect(blocks.slice(-3)).toEqual([last - 2, last - 1, last])
    expect(pending).toEqual(sent)
    expect(logs).toEqual([sent[0], sent[2]])
    await provider.destroy()
    await subscribed(0)
  })

  test('viem hears blocks, pending transactions and events', async () => {
    const client = createPublicClient({ transport: webSocket(node.ws) })
    const numbers: bigint[] = []
    const pending: string[] = []
    const logs: string[] = []
    const failures: Error[] = []
    const onError = (error: Error): void => void failures.push(error)
    const stops = [
      client.watchBlocks({ onBlock: ({ number }) => void numbers.push(number), onError }),
      client.watchPendingTransactions({ onTransactions: (hashes) => void pending.push(...hashes), onError }),
      client.watchEvent({
        address: contract.address as `0x${string}`,
        event: parseAbiItem('event Any()'),
        onLogs: (found) => void logs.push(...found.map(({ transactionHash }) => transactionHash)),
        onError,
      }),
    ]
    await subscribed(3)
    const sent = [await contract.emit(3), await contract.emit(4)]
    await eventually(() => numbers.length >= 2 && pending.length >= 2)
    expect(numbers.map(Number)).toEqual([(await head()) - 1, await head()])
    expect(pending).toEqual(sent)
    // Its own topic is that of no log here.
    expect(logs).toEqual([])
    expect(failures).toEqual([])
    for (const stop of stops) stop()
    await (await client.transport.getRpcClient()).close()
  })

  test('web3.js hears heads, logs and syncing', async () => {
    const web3 = new Web3(node.ws)
    const heads = await web3.eth.subscribe('newHeads')
    const logs = await web3.eth.subscribe('logs', { address: contract.address, topics: [topic(5)] })
    const numbers: number[] = []
    const values: string[] = []
    heads.on('data', (header) => void numbers.push(Number(header.number)))
    logs.on('data', (log) => void values.push(String(log.data)))
    await contract.emit(5, 42)
    await node.call('eth_sendTransaction', { from: alice, to: alice, gas: '0x5208' })
    await eventually(() => numbers.length === 2 && values.length === 1)
    expect(numbers).toEqual([(await head()) - 1, await head()])
    expect(values).toEqual([topic(42)])
    await heads.unsubscribe()
    await logs.unsubscribe()
    web3.currentProvider?.disconnect()
  })
})
