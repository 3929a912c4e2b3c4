import { createPublicClient, type EIP1193RequestFn, http, webSocket } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { eventually } from '../support/eventually.ts'
import { slow } from '../support/slow.ts'
import { PonderFollower, type Rows, toRows, type Wanted } from './ponder.ts'
import { TrafficChain } from './trafficChain.ts'
import { toTag, type WireBlock, type WireFrames, type WireReceipt } from './types.ts'

/** The same rows, read one block after the other from receipts and traces by height. */
const scan = async (
  { rpc, head }: Pick<TrafficChain, 'rpc'> & { head: number },
  wanted: Wanted,
): Promise<Rows> => {
  const rows = new Map<number, readonly string[]>()
  for (let number = 0; number <= head; number++) {
    const tag = toTag(number)
    const block = await rpc<WireBlock>('eth_getBlockByNumber', tag, true)
    const receipts = await rpc<readonly WireReceipt[]>('eth_getBlockReceipts', tag)
    const traces =
      number === 0
        ? []
        : await rpc<readonly WireFrames[]>('debug_traceBlockByNumber', tag, { tracer: 'callTracer' })
    rows.set(
      number,
      toRows(
        wanted,
        block,
        receipts.flatMap(({ logs }) => logs),
        receipts,
        traces,
      ),
    )
  }
  return rows
}

describe('a follower in the style of Ponder', () => {
  let chain: TrafficChain

  beforeAll(async () => {
    chain = await TrafficChain.start()
    await chain.send(40)
  })
  afterAll(() => chain.close())

  test('has the rows of a scan after a backfill in ranges of any size', slow, async () => {
    const wanted = { addresses: chain.contracts }
    const head = await chain.head()
    const expected = await scan({ rpc: chain.rpc, head }, wanted)
    expect([...expected.values()].flat().filter((row) => row.startsWith('log ')).length).toBeGreaterThan(5)
    for (const [step, transport] of [
      [7, http(chain.node.http)],
      [1_000, http(chain.node.http, { batch: true })],
    ] as const) {
      const client = createPublicClient({ transport })
      const follower = new PonderFollower(client.request as EIP1193RequestFn, wanted)
      await follower.backfill(0, head, step)
      expect(new Map([...follower.rows].sort(([a], [b]) => a - b))).toEqual(expected)
    }
  })

  test('has the rows of a scan after new heads, and after blocks that were taken back', slow, async () => {
    const wanted = { addresses: chain.contracts }
    const client = createPublicClient({ transport: webSocket(chain.node.ws) })
    const follower = new PonderFollower(client.request as EIP1193RequestFn, wanted)
    await follower.backfill(0, await chain.head(), 50)
    const before = follower.tip?.number ?? 0
    let work: Promise<void> = Promise.resolve()
    const failures: Error[] = []
    // A block that is taken back while it is read is left to the next head.
    const onData = (): void => {
      work = work.then(() => follower.onHead()).catch((error: Error) => void failures.push(error))
    }
    const { unsubscribe } = await client.transport.subscribe({ params: ['newHeads'], onData })
    const isAtHead = async (): Promise<boolean> => {
      await work
      const { hash } = await chain.rpc<WireBlock>('eth_getBlockByNumber', 'latest', false)
      if (follower.tip?.hash !== hash) onData()
      return follower.tip?.hash === hash
    }
    await chain.send(15)
    await eventually(isAtHead)
    expect(follower.tip?.number).toBeGreaterThan(before)
    for (const depth of [1, 6, 12]) {
      await chain.takeBack(depth)
      await chain.send(8)
      await eventually(isAtHead)
    }
    expect(follower.reorganizations).toBeGreaterThanOrEqual(3)
    expect(failures.filter(({ name }) => name === 'InconsistentAnswerError')).toEqual([])
    const expected = await scan({ rpc: chain.rpc, head: await chain.head() }, wanted)
    expect(new Map([...follower.rows].sort(([a], [b]) => a - b))).toEqual(expected)
    await unsubscribe()
    const { socket } = await client.transport.getRpcClient().then((rpc) => rpc)
    socket.close()
  })
})
