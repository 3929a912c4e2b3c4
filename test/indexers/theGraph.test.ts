import { toEventSelector } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { describeSome } from '../support/slow.ts'
import { isHandled, type PlacedTrace, Subgraph, toCallRow } from './theGraph.ts'
import { TrafficChain } from './trafficChain.ts'
import { toTag, type WireBlock, type WireReceipt } from './types.ts'

const topic = toEventSelector('Moved(address,uint256,bytes)')

/** The same rows from receipts and traces of every block; what contracts hold is added up from the events. */
const scan = async ({ rpc }: TrafficChain, addresses: readonly string[], head: number) => {
  const rows = new Map<number, readonly string[]>()
  const counts = new Map<string, bigint>()
  for (let number = 1; number <= head; number++) {
    const receipts = await rpc<readonly WireReceipt[]>('eth_getBlockReceipts', toTag(number))
    const events = receipts
      .flatMap(({ logs }) => logs)
      .filter((log) => addresses.includes(log.address) && log.topics[0] === topic)
    const whoOf = (log: (typeof events)[number]): string => `0x${(log.topics[1] ?? '').slice(26)}`
    for (const log of events) {
      const place = `${log.address} ${whoOf(log)}`
      // The second event of a call is about the contract itself, and moves nothing.
      if (whoOf(log) !== log.address)
        counts.set(place, (counts.get(place) ?? 0n) + BigInt(log.topics[2] ?? 0))
    }
    const traces = await rpc<readonly PlacedTrace[]>('trace_block', toTag(number))
    const list = [
      ...events.map(
        (log) =>
          `event ${number} ${log.logIndex} ${whoOf(log)} ${Number(log.topics[2])} ${counts.get(`${log.address} ${whoOf(log)}`) ?? 0n}`,
      ),
      ...traces.filter((trace) => isHandled(trace, addresses)).map(toCallRow),
    ]
    if (list.length > 0) rows.set(number, list)
  }
  return rows
}

describeSome(1, [
  ['with the index of calls', ['--index.calls']],
  ['without the index of calls', []],
])(
  'a subgraph in the style of The Graph, %s',
  (_, flags) => {
    let chain: TrafficChain

    beforeAll(async () => {
      chain = await TrafficChain.start(...flags)
      await chain.send(40)
    }, 120_000)
    afterAll(() => chain.close())

    const subgraph = (step: number): Subgraph =>
      new Subgraph(chain.rpc, { addresses: chain.contracts, abi: chain.abi, topic, step })

    test('has the rows of a scan, in ranges of any size, also after blocks that were taken back', async () => {
      const expected = await scan(chain, chain.contracts, await chain.head())
      const all = [...expected.values()].flat()
      expect(all.filter((row) => row.startsWith('event ')).length).toBeGreaterThan(5)
      expect(all.filter((row) => row.startsWith('call ')).length).toBeGreaterThan(10)
      for (const step of [3, 500]) {
        const fresh = subgraph(step)
        await fresh.sync()
        expect(fresh.rows).toEqual(expected)
      }
      const follower = subgraph(20)
      await follower.sync()
      for (const depth of [1, 9]) {
        await chain.takeBack(depth)
        await chain.send(10)
        await follower.sync()
        const after = await scan(chain, chain.contracts, await chain.head())
        expect(new Map([...follower.rows].sort(([a], [b]) => a - b))).toEqual(after)
      }
      expect(follower.reverts).toBeGreaterThanOrEqual(10)
    })

    test('calls at a hash are answered while it is in the chain, and refused afterwards', async () => {
      await chain.send(2)
      const { hash, transactions } = await chain.rpc<WireBlock>('eth_getBlockByNumber', 'latest', true)
      const [contract = ''] = chain.contracts.slice(-1)
      const who = transactions[0]?.from ?? ''
      const follower = subgraph(20)
      const latest = await follower.countOf(contract, who, { blockHash: hash, requireCanonical: true })
      expect(latest).toBe(await follower.countOf(contract, who, { blockHash: hash }))
      await chain.takeBack(2)
      for (const requireCanonical of [true, false])
        await expect(
          follower.countOf(contract, who, { blockHash: hash, requireCanonical }),
        ).rejects.toMatchObject({
          code: -32000,
        })
    })
  },
  { timeout: 240_000 },
)
