import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { toQuantity } from '../../src/base/encoding/hex.ts'
import { eventually } from '../support/eventually.ts'
import { deployEcho } from '../support/logContract.ts'
import { startTestNode, type TestNode } from '../support/node.ts'
import { type HeadNotice, type LogNotice, Subscriber } from '../support/rpc/subscriber.ts'
import { slow, testSome } from '../support/slow.ts'

describe('a subscription from a block on, while blocks are made', () => {
  let node: TestNode
  let contract: Awaited<ReturnType<typeof deployEcho>>
  let isEnding = false
  let traffic: Promise<void>

  beforeAll(async () => {
    node = await startTestNode()
    contract = await deployEcho(node)
    const produceBlocks = async (): Promise<void> => {
      for (let value = 0; !isEnding; value++) await contract.emit(value % 5, value)
    }
    traffic = produceBlocks()
    await eventually(async () => (await head()) > 20)
  })
  afterAll(async () => {
    isEnding = true
    await traffic
    await node.close()
  })
  const head = async (): Promise<number> => Number(await node.call('eth_blockNumber'))

  testSome(1, ['ws', 'ipc'])('over %s gives every block and log once, in order', async (transport) => {
    const rounds = Array.from({ length: 24 }, async (_, round) => {
      await sleep(round * 40)
      const client = await Subscriber.open(transport === 'ws' ? node.ws : node.ipcPath)
      const now = await head()
      const from = round % 6 === 0 ? now : 2 + Math.floor(Math.random() * (now - 2))
      const [heads, logs] = await Promise.all([
        client.subscribe('newHeads', { fromBlock: toQuantity(from), includeTransactions: round % 2 === 0 }),
        client.subscribe('logs', { fromBlock: toQuantity(from), address: contract.address }),
      ])
      // Well past the block at which it was made, so that it has gone from the past to the present.
      const count = now - from + 25
      const toldHeads = await client.wait<HeadNotice>(heads, count)
      const toldLogs = await client.wait<LogNotice>(logs, count)
      client.close()
      return { from, toldHeads, toldLogs, arrived: client.messages }
    })
    for (const { from, toldHeads, toldLogs, arrived } of await Promise.all(rounds)) {
      expect(toldHeads.map(({ number }) => Number(number))).toEqual(toldHeads.map((_, index) => from + index))
      for (const [index, { parentHash }] of toldHeads.entries()) {
        if (index > 0) expect(parentHash).toBe(toldHeads[index - 1]?.hash)
      }
      // One log in every block from the second on.
      expect(toldLogs.map(({ blockNumber }) => Number(blockNumber))).toEqual(
        toldLogs.map((_, index) => from + index),
      )
      // The answers, which hold the ids, come before anything that is told.
      const firstTold = arrived.findIndex((message) => 'params' in message)
      const firstAnswer = arrived.findIndex(
        (message) => typeof (message as { result?: unknown }).result === 'string',
      )
      expect(firstAnswer).toBeLessThan(firstTold)
    }
  })

  test('logs of a topic come from the past and then from the present', async () => {
    const client = await Subscriber.open(node.ws)
    const topic = `0x${'0'.repeat(63)}3`
    const now = await head()
    const id = await client.subscribe('logs', { fromBlock: '0x0', topics: [topic] })
    const told = await client.wait<LogNotice & { topics: string[] }>(id, Math.floor(now / 5) + 4)
    expect(told.every(({ topics }) => topics[0] === topic)).toBe(true)
    const numbers = told.map(({ blockNumber }) => Number(blockNumber))
    expect(numbers).toEqual(numbers.map((_, index) => (numbers[0] as number) + 5 * index))
    client.close()
  })

  test('tags are blocks too; pending is what comes next', async () => {
    const client = await Subscriber.open(node.ws)
    const [earliest, latest, pending] = [
      await client.subscribe('newHeads', { fromBlock: 'earliest' }),
      await client.subscribe('newHeads', { fromBlock: 'latest' }),
      await client.subscribe('newHeads', { fromBlock: 'pending' }),
    ]
    const before = await head()
    expect((await client.wait<HeadNotice>(earliest, 1))[0]?.number).toBe('0x0')
    expect(Number((await client.wait<HeadNotice>(latest, 1))[0]?.number)).toBeLessThanOrEqual(before)
    await client.wait(pending, 3)
    client.close()
  })

  test('a client that does not read is waited for, and then gets the rest', slow, async () => {
    const client = await Subscriber.open(node.ws)
    const now = await head()
    // As many histories as make more than a socket holds.
    const ids: string[] = []
    for (let count = 0; count < 50; count++) {
      ids.push(await client.subscribe('newHeads', { fromBlock: '0x0', includeTransactions: true }))
    }
    if ('pause' in client.socket) client.socket.pause()
    await sleep(1000)
    if ('resume' in client.socket) client.socket.resume()
    for (const id of ids) {
      const told = await client.wait<HeadNotice>(id, now + 5)
      expect(told.map(({ number }) => Number(number))).toEqual(told.map((_, index) => index))
    }
    client.close()
  })
})
