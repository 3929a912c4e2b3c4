import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { eventually } from '../support/eventually.ts'
import { deployEcho } from '../support/logContract.ts'
import { startTestNode, type TestNode } from '../support/node.ts'
import { Subscriber } from '../support/rpc/subscriber.ts'
import { slow } from '../support/slow.ts'

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

  test('again and again, what is told adds up to the chain that is left', slow, async () => {
    while (Number(await node.call('eth_blockNumber')) < 8) await contract.emit(1)
    const clients: { client: Subscriber; start: number; heads: string; logs: string }[] = []
    for (let round = 0; round < 25; round++) {
      const open = async (): Promise<void> => {
        const start = 2 + (round % 4)
        const one = await Subscriber.open(round % 2 === 0 ? node.ws : node.ipcPath)
        const [heads, logs] = await Promise.all([
          one.subscribe('newHeads', { fromBlock: `0x${start.toString(16)}` }),
          one.subscribe('logs', { fromBlock: `0x${start.toString(16)}`, address: contract.address }),
        ])
        clients.push({ client: one, start, heads, logs })
      }
      const opening = open()
      for (let count = 0; count <= round % 5; count++) await contract.emit(count, round)
      const back = 6 + Math.floor(Math.random() * (Number(await node.call('eth_blockNumber')) - 5))
      await node.call('debug_setHead', `0x${back.toString(16)}`)
      await opening
    }
    await contract.emit(7)
    const head = Number(await node.call('eth_blockNumber'))
    const { hash } = await node.call<{ hash: string }>('eth_getHeaderByNumber', 'latest')
    for (const { client: one, start, heads, logs } of clients) {
      type Head = { number: string; hash: string; parentHash: string }
      await eventually(() => one.received<Head>(heads).at(-1)?.hash === hash)
      const chain = new Map<number, Head>()
      for (const told of one.received<Head>(heads)) {
        const number = Number(told.number)
        for (const above of chain.keys()) if (above >= number) chain.delete(above)
        if (number > start) expect(chain.get(number - 1)?.hash).toBe(told.parentHash)
        chain.set(number, told)
      }
      expect([...chain.keys()]).toEqual(Array.from({ length: head - start + 1 }, (_, index) => start + index))

      await eventually(() => one.received<Log>(logs).at(-1)?.blockHash === hash)
      const left = new Map<string, Log>()
      for (const told of one.received<Log & { logIndex: string }>(logs)) {
        const key = `${told.blockHash} ${told.logIndex}`
        expect(left.has(key)).toBe(told.removed)
        if (told.removed) left.delete(key)
        else left.set(key, told)
      }
      const wanted = await node.call('eth_getLogs', {
        fromBlock: `0x${start.toString(16)}`,
        toBlock: 'latest',
        address: contract.address,
      })
      expect([...left.values()]).toEqual(wanted)
      one.close()
    }
  })

  test('to where it is, nothing is told', async () => {
    const heads = await client.subscribe('newHeads')
    const head = await node.call<string>('eth_blockNumber')
    await node.call('debug_setHead', head)
    await contract.emit(9)
    const told = await client.wait<{ number: string }>(heads, 1)
    expect(told.map(({ number }) => Number(number))).toEqual([Number(head) + 1])
  })
})
