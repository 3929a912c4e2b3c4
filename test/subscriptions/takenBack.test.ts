import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { deployEcho } from '../support/logContract.ts'
import { startTestNode, type TestNode } from '../support/node.ts'
import { Subscriber } from '../support/subscriber.ts'

interface Log {
  readonly blockNumber: string
  readonly blockHash: string
  readonly removed: boolean
}

describe('when the head is taken back', () => {
  let node: TestNode
  let contract: Awaited<ReturnType<typeof deployEcho>>
  let client: Subscriber
  beforeAll(async () => {
    node = await startTestNode()
    contract = await deployEcho(node)
    client = await Subscriber.open(node.ws)
  })
  afterAll(async () => {
    client.close()
    await node.close()
  })

  test('the new head is told, and the logs that are gone, newest first, where they match', async () => {
    const heads = await client.subscribe('newHeads')
    const logs = await client.subscribe('logs', { address: contract.address })
    const ofTopic = await client.subscribe('logs', { topics: [`0x${'0'.repeat(63)}2`] })
    const resumed = await client.subscribe('logs', { fromBlock: '0x0', address: contract.address })
    for (const topic of [1, 2, 3]) await contract.emit(topic)
    const made = await client.wait<Log>(logs, 3)
    await client.wait(resumed, 3)
    await node.call('debug_setHead', '0x2')
    await contract.emit(4)

    const told = await client.wait<Log>(logs, 6)
    const gone = [made[2], made[1]].map((log) => ({ ...log, removed: true }))
    expect(told.slice(3, 5)).toEqual(gone)
    expect(told[5]).toMatchObject({ blockNumber: '0x3', removed: false })
    expect(await client.wait(ofTopic, 2)).toEqual([made[1], { ...made[1], removed: true }])
    expect(await client.wait(resumed, 6)).toEqual(told)
    const numbers = (await client.wait<{ number: string }>(heads, 5)).map(({ number }) => Number(number))
    expect(numbers).toEqual([2, 3, 4, 2, 3])
  })

  test('to where it is, nothing is told', async () => {
    const heads = await client.subscribe('newHeads')
    await node.call('debug_setHead', '0x3')
    await contract.emit(9)
    expect((await client.wait<{ number: string }>(heads, 1)).map(({ number }) => number)).toEqual(['0x4'])
  })
})
