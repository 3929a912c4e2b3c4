import { fromBinary } from '@bufbuild/protobuf'
import { afterEach, describe, expect, test } from 'vitest'
import { type Replay, type ReplayOptions, startReplay } from '../../../test/gateway/replay/server/server.ts'
import { SyntheticChain } from '../../../test/gateway/replay/synthetic.ts'
import { slow } from '../../../test/support/slow.ts'
import { QueryConfigResponseSchema } from '../../cosmos/gen/cosmos/evm/vm/v1/query_pb.ts'
import { createThreadLog } from '../follow/threadLog.ts'
import { NativeQueryError } from './nativeQueryClient.ts'
import { UpstreamClient } from './upstreamClient.ts'
import type { UpstreamsOptions } from './upstreamSelector.ts'

const open: { close(): Promise<void> | void }[] = []

afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one.close()
})

const never = new AbortController().signal
const path = '/cosmos.evm.vm.v1.Query/Config'
const nothing = new Uint8Array()

const chainOf = (length: number): SyntheticChain =>
  new SyntheticChain({ family: 'cosmos-evm-0.7', length, content: 'empty' })

const serve = async (options: Partial<ReplayOptions> = {}): Promise<Replay> => {
  const replay = await startReplay({ chain: chainOf(20), ...options })
  open.push(replay)
  return replay
}

const connect = async (
  nodes: UpstreamsOptions['nodes'],
  options: Partial<UpstreamsOptions> = {},
): Promise<{ readonly upstreams: UpstreamClient; readonly logs: readonly string[] }> => {
  const logs: string[] = []
  const log = createThreadLog(({ level, fields, text }) =>
    logs.push(`${level} ${text} ${JSON.stringify(fields)}`),
  )
  const upstreams = new UpstreamClient({ nodes, ...options }, log)
  open.push(upstreams)
  await upstreams.open(never)
  return { upstreams, logs }
}

const both = ({ url, grpcAddress }: Replay): { node: string; grpc: string } => ({
  node: url,
  grpc: grpcAddress,
})

const chainIdOf = (answer: Uint8Array): string =>
  String(fromBinary(QueryConfigResponseSchema, answer).config?.chainId)

const errorKindOf = async (work: Promise<unknown>): Promise<string> => {
  const error = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  return error instanceof NativeQueryError ? error.kind : String(error)
}

describe('queries', () => {
  test.each([
    ['by gRPC', both],
    ['by abci_query', ({ url }: Replay) => ({ node: url })],
  ])('%s are answered at their height, and their failures told apart', async (_, address) => {
    const replay = await serve({ faults: { prunedStateBelow: 5 } })
    const { upstreams } = await connect([address(replay)])
    expect(chainIdOf(await upstreams.query(path, nothing, undefined, never))).toBe('262144')
    expect(chainIdOf(await upstreams.query(path, nothing, 12, never))).toBe('262144')
    expect(await errorKindOf(upstreams.query('/no.such.Query/Any', nothing, 12, never))).toBe('unknown path')
    expect(await errorKindOf(upstreams.query(path, nothing, 2_000, never))).toBe('future height')
    expect(await errorKindOf(upstreams.query(path, nothing, 3, never))).toBe('pruned')
    // From now on this is known without a query.
    const before = replay.asked.get('abci_query')
    expect(await errorKindOf(upstreams.query(path, nothing, 2, never))).toBe('pruned')
    expect(replay.asked.get('abci_query')).toBe(before)
    expect(upstreams.stats().upstreams[0]?.earliestState).toBe(4)
  })

  test('the same one in flight is asked once, and called off when nobody waits', async () => {
    const replay = await serve({ faults: { delay: 100 } })
    const { upstreams } = await connect([{ node: replay.url }])
    const before = replay.asked.get('abci_query') ?? 0
    const controller = new AbortController()
    const calls = Array.from({ length: 10 }, () => upstreams.query(path, nothing, 9, never))
    const left = errorKindOf(upstreams.query(path, nothing, 9, controller.signal))
    controller.abort()
    expect(await left).toBe('unavailable')
    expect(new Set((await Promise.all(calls)).map(chainIdOf))).toEqual(new Set(['262144']))
    expect((replay.asked.get('abci_query') ?? 0) - before).toBe(1)
    expect(upstreams.stats().joinedCalls).toBe(10)
  })

  test('where gRPC is away they go through CometBFT', async () => {
    const replay = await serve()
    const { upstreams } = await connect([{ node: replay.url, grpc: '127.0.0.1:1' }])
    for (let round = 0; round < 8; round++)
      expect(chainIdOf(await upstreams.query(path, nothing, 10, never))).toBe('262144')
    expect(replay.asked.get('abci_query')).toBe(8)
  })

  test('an error whose text gRPC loses is asked for through CometBFT', async () => {
    const replay = await serve({ faults: { grpcSpaces: true, prunedStateBelow: 5 } })
    const { upstreams } = await connect([both(replay)])
    await expect(upstreams.query(path, nothing, 3, never)).rejects.toMatchObject({
      kind: 'pruned',
      message: expect.stringContaining('height 3'),
    })
  })

  test('the old heights go to the node that has them', async () => {
    const pruned = await serve({ faults: { prunedBelow: 10, prunedStateBelow: 10 } })
    const archive = await serve()
    const { upstreams } = await connect([{ node: pruned.url }, { node: archive.url }])
    expect(chainIdOf(await upstreams.query(path, nothing, 3, never))).toBe('262144')
    await upstreams.block(3, never)
    expect(pruned.asked.get('block')).toBeUndefined()
    await upstreams.block(15, never)
    expect(pruned.asked.get('block')).toBe(1)
    expect(upstreams.earliest()).toEqual({ block: 1, state: 1 })
    await archive.setFaults({ down: true })
    // That no upstream can be asked does not mean that none has it.
    expect(await errorKindOf(upstreams.block(3, never))).toBe('unavailable')
  })

  test('no call takes longer than it may, whatever the node does', slow, async () => {
    for (const faults of [
      { hangs: ['abci_query', 'grpc'] },
      { drip: { bytes: 10, every: 100 } },
      { delay: 5_000 },
    ]) {
      const replay = await serve()
      const { upstreams } = await connect([both(replay)], { callTimeoutMs: 500, heavyTimeoutMs: 500 })
      await replay.setFaults({
        ...faults,
        hangs: ['grpc', ...('hangs' in faults ? (faults.hangs ?? []) : [])],
      })
      const began = performance.now()
      expect(await errorKindOf(upstreams.query(path, nothing, 5, never))).toBe('unavailable')
      expect(await errorKindOf(upstreams.query('/cosmos.evm.vm.v1.Query/EthCall', nothing, 5, never))).toBe(
        'unavailable',
      )
      expect(performance.now() - began).toBeLessThan(2_000)
    }
  })
})

describe('several nodes', () => {
  test('a node that goes away is left, and used again when it is back', async () => {
    const first = await serve()
    const second = await serve()
    const { upstreams } = await connect([{ node: first.url }, { node: second.url }])
    await first.setFaults({ down: true })
    for (let round = 0; round < 10; round++) await upstreams.block(10 + round, never)
    expect(second.asked.get('block')).toBe(10)
    expect(upstreams.stats().upstreams[0]?.state).toBe('failing')
    await first.setFaults({})
    for (let tries = 0; tries < 100 && upstreams.stats().upstreams[0]?.state !== 'ready'; tries++)
      await new Promise((resolve) => setTimeout(resolve, 50))
    await upstreams.block(10, never)
    expect(first.asked.get('block')).toBe(1)
  })

  test('without any node calls fail at once, and the reason is told', async () => {
    const replay = await serve()
    const { upstreams } = await connect([{ node: replay.url }])
    await replay.setFaults({ down: true })
    for (let round = 0; round < 6; round++)
      expect(await errorKindOf(upstreams.block(3, never))).toBe('unavailable')
    const began = performance.now()
    await expect(upstreams.block(3, never)).rejects.toThrow(/does not answer|not there|ECONNREFUSED/)
    expect(performance.now() - began).toBeLessThan(500)
    await replay.setFaults({})
    const back = performance.now()
    while (
      (await errorKindOf(upstreams.block(3, never))) === 'unavailable' &&
      performance.now() - back < 10_000
    )
      await new Promise((resolve) => setTimeout(resolve, 20))
    expect(performance.now() - back).toBeLessThan(5_000)
  })

  test('a node that wants fewer calls is left alone for as long as it says', async () => {
    const limited = await serve({ faults: { limitedFor: 3_600 } })
    const other = await serve()
    const { upstreams, logs } = await connect([{ node: limited.url }, { node: other.url }])
    const call = '/cosmos.evm.vm.v1.Query/EstimateGas'
    for (let round = 0; round < 5; round++)
      await errorKindOf(upstreams.query(call, nothing, undefined, never))
    expect(limited.asked.get('refused')).toBe(1)
    expect(other.asked.get('abci_query')).toBe(5)
    expect(logs.filter((line) => line.includes('left alone')).join()).toContain('none for 300 s')
    // That it cannot be asked does not mean that nobody has what is asked for.
    await other.setFaults({ prunedStateBelow: 5 })
    expect(await errorKindOf(upstreams.query(path, nothing, 3, never))).toBe('unavailable')
  })

  test('a node of another chain is never used', async () => {
    const first = await serve()
    const other = await serve({ faults: { chainId: 'other-1' } })
    const { upstreams, logs } = await connect([{ node: other.url }, { node: first.url }], {
      chainId: 'replay-1',
    })
    await upstreams.block(4, never)
    expect(other.asked.get('block')).toBeUndefined()
    expect(upstreams.stats().upstreams[0]).toMatchObject({
      state: 'quarantined',
      quarantineReason: 'it is a node of chain other-1, not of replay-1',
    })
    expect(logs.filter((line) => line.includes('not asked for a while')).length).toBe(1)
  })

  test('a lie costs a node its place, and the answer comes from another', async () => {
    const first = await serve({ faults: { wrongHashAt: 7 } })
    const second = await serve()
    const { upstreams } = await connect([{ node: first.url }, { node: second.url }])
    const reply = (await upstreams.block(7, never)) as { block_id: { hash: string } }
    const hash = Buffer.from(chainOf(20).built(7)?.hash ?? [])
      .toString('hex')
      .toUpperCase()
    expect(reply.block_id.hash).toBe(hash)
    expect(upstreams.stats().upstreams[0]?.state).toBe('quarantined')
    await upstreams.block(8, never)
    expect(first.asked.get('block')).toBe(1)
  })

  test('a quarantine ends when the node is healthy, and not before', async () => {
    const node = await serve({ faults: { wrongHashAt: 20 } })
    const { upstreams, logs } = await connect([{ node: node.url }], { probeEveryMs: 10 })
    const state = () => upstreams.stats().upstreams[0]?.state
    expect(await errorKindOf(upstreams.block(20, never))).toBe('unavailable')
    const asked = node.asked.get('block') ?? 0
    const waitUntil = async (isDone: () => boolean): Promise<void> => {
      for (let round = 0; !isDone(); round++) {
        if (round > 2_000) throw new Error('it does not happen')
        await new Promise((resolve) => setTimeout(resolve, 10))
      }
    }
    await waitUntil(() => (node.asked.get('block') ?? 0) >= asked + 2)
    expect(state()).toBe('quarantined')
    await node.setFaults({})
    await waitUntil(() => state() === 'ready')
    expect(await upstreams.block(20, never)).toBeDefined()
    expect(logs.join()).toContain('the node is healthy')
  })

  test('what a node says of itself and of its mempool is read', async () => {
    const replay = await serve()
    const { upstreams } = await connect([both(replay)])
    expect(await upstreams.status(never)).toMatchObject({
      network: 'replay-1',
      latestHeight: 20,
      earliestHeight: 1,
    })
    expect((await upstreams.netInfo(never)).isListening).toBe(true)
    expect((await upstreams.validators(10, never)).length).toBeGreaterThan(0)
    expect(await upstreams.unconfirmedTxs(100, never)).toEqual([])
    expect(await upstreams.consensusParams(10, never)).toBe(chainOf(20).built(10)?.maxGas)
    expect(await upstreams.txByHash(new Uint8Array(32), never)).toBeUndefined()
    expect((await upstreams.broadcast(Uint8Array.of(1, 2, 3), never)).code).not.toBe(0)
    expect((await upstreams.blockResults(10, never)) as object).toMatchObject({ height: '10' })
  })
})
