import { rmSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { toQuantity } from '../../../src/base/encoding/hex.ts'
import { eventually } from '../../support/eventually.ts'
import { type HeadNotice, type LogNotice, Subscriber } from '../../support/rpc/subscriber.ts'
import { temporaryHome } from '../../support/testServer.ts'
import { type Replay, startReplay } from '../replay/server/server.ts'
import { SyntheticChain } from '../replay/synthetic.ts'
import { type ServedGateway, serveGateway } from './servedGateway.ts'

describe('what is told of a chain behind a gateway', () => {
  let replay: Replay
  let gateway: ServedGateway
  const home = temporaryHome()

  beforeAll(async () => {
    const content = { transactions: 2 }
    replay = await startReplay({
      chain: new SyntheticChain({ family: 'cosmos-evm-0.7', length: 10, content }),
    })
    gateway = await serveGateway(home, [`--gateway.node=${replay.url}`])
    await reach(10)
  })
  afterAll(async () => {
    await gateway?.close()
    await replay?.close()
    rmSync(home, { recursive: true, force: true })
  })

  const head = async (): Promise<number> => Number(await gateway.call('eth_blockNumber'))
  const reach = (number: number): Promise<void> => eventually(async () => (await head()) >= number)

  test('subscriptions go on from a block of the past to those that come, each once and in order', async () => {
    const client = await Subscriber.open(gateway.service.urls().ws ?? '')
    const from = 4
    const [heads, logs] = await Promise.all([
      client.subscribe('newHeads', { fromBlock: toQuantity(from) }),
      client.subscribe('logs', { fromBlock: toQuantity(from) }),
    ])
    const before = await head()
    replay.grow(5)
    const toldHeads = await client.wait<HeadNotice>(heads, before + 5 - from + 1)
    expect(toldHeads.map(({ number }) => Number(number))).toEqual(toldHeads.map((_, index) => from + index))
    for (const [index, { parentHash }] of toldHeads.entries())
      if (index > 0) expect(parentHash).toBe(toldHeads[index - 1]?.hash)
    const all = await gateway.call<LogNotice[]>('eth_getLogs', {
      fromBlock: toQuantity(from),
      toBlock: 'latest',
    })
    expect(all.length).toBeGreaterThan(0)
    expect(await client.wait<LogNotice>(logs, all.length)).toEqual(all)
    client.close()
  })

  test('filters give what came since they were asked', async () => {
    const blocks = await gateway.call<string>('eth_newBlockFilter')
    const logs = await gateway.call<string>('eth_newFilter', {})
    const before = await head()
    expect(await gateway.call('eth_getFilterChanges', blocks)).toEqual([])
    replay.grow(3)
    await reach(before + 3)
    const hashes = await gateway.call<string[]>('eth_getFilterChanges', blocks)
    const newest = await gateway.call<HeadNotice>('eth_getBlockByNumber', 'latest', false)
    expect(hashes.length).toBe(3)
    expect(hashes.at(-1)).toBe(newest.hash)
    const wanted = { fromBlock: toQuantity(before + 1), toBlock: 'latest' }
    expect(await gateway.call('eth_getFilterChanges', logs)).toEqual(
      await gateway.call('eth_getLogs', wanted),
    )
    expect(await gateway.call('eth_getFilterChanges', logs)).toEqual([])
  })

  test('a state that the chain gave up is -32002 and names the earliest; the newest stays', async () => {
    await replay.setFaults({ prunedStateBelow: 6 })
    const address = `0x${'12'.repeat(20)}`
    const { error } = await gateway.ask('eth_getBalance', [address, '0x3'])
    expect(error).toMatchObject({ code: -32002 })
    expect(error?.message).toMatch(/block 3 is not kept: \d+ is the earliest/)
    expect(await gateway.ask('eth_getBalance', [address, 'latest'])).toHaveProperty('result')
  })

  test('what no node answers is -32002, what is stored is served all the same', async () => {
    await replay.setFaults({ down: true })
    const block = await gateway.call<HeadNotice>('eth_getBlockByNumber', '0x5', true)
    expect(block.number).toBe('0x5')
    const { error } = await gateway.ask('eth_getBalance', [`0x${'34'.repeat(20)}`, 'latest'])
    expect(error?.code).toBe(-32002)
    await replay.setFaults({})
  })
})
