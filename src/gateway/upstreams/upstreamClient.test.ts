import { fromBinary } from '@bufbuild/protobuf'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { closeAfterEach, connect, emptyChain, serve } from '../../../test/gateway/replay/openUpstreams.ts'
import type { Faults } from '../../../test/gateway/replay/server/injectedFaults.ts'
import type { Replay } from '../../../test/gateway/replay/server/server.ts'
import { SyntheticChain } from '../../../test/gateway/replay/synthetic.ts'
import { eventually } from '../../../test/support/eventually.ts'
import { slow } from '../../../test/support/slow.ts'
import { traceTimedOut } from '../../chain/trace/traceErrors.ts'
import { withDeadline } from '../../comet/client/deadline.ts'
import { NativeQueryError, readableAs } from '../../comet/data/nativeQuery.ts'
import { ProvenLie } from '../../comet/data/provenLie.ts'
import { TransportError } from '../../comet/data/transportErrors.ts'
import { QueryConfigResponseSchema } from '../../cosmos/gen/cosmos/evm/vm/v1/query_pb.ts'
import { withTimeout } from '../../families/execute/executionContext.ts'
import { ics23Proofs } from '../../light/state/ics23Proofs.ts'
import { StateProofs } from '../../light/state/stateProofs.ts'
import { createThreadLog } from '../follow/threadLog.ts'

closeAfterEach()
afterEach(() => void vi.useRealTimers())

const never = new AbortController().signal
const path = '/cosmos.evm.vm.v1.Query/Config'
/** A heavy one, which the chain does not know. */
const unknown = '/cosmos.evm.vm.v1.Query/Simulate'
const nothing = new Uint8Array()

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
    expect(await errorKindOf(upstreams.query(path, nothing, 2, never))).toBe('pruned')
    expect(upstreams.stats().upstreams[0]?.earliestState).toBe(4)
  })

  test('a node that has no proof at its newest block yet is asked for older ones all the same', async () => {
    const early = {
      code: 18,
      codespace: 'sdk',
      log: 'proof is unexpectedly empty; ensure height has not been pruned',
    }
    const replay = await serve({
      faults: {
        alter: (method, result, { height }) =>
          method === 'abci_query' && Number(height) >= 19 ? { response: { ...early, height } } : result,
      },
    })
    const { upstreams } = await connect([{ node: replay.url }])
    for (const height of [20, 21])
      expect(await errorKindOf(upstreams.prove('evm', nothing, height, never))).toBe('future height')
    // A balancer may have asked a node that is further behind.
    expect(await errorKindOf(upstreams.prove('evm', nothing, 19, never))).toBe('pruned')
    expect(chainIdOf(await upstreams.query(path, nothing, 5, never))).toBe('262144')
    expect(upstreams.stats().upstreams[0]?.earliestState).toBe(1)
  })

  test('a node that said that a state is pruned is asked last for it, and first again after some minutes', async () => {
    const [pruned, archive] = [await serve({ faults: { prunedStateBelow: 5 } }), await serve()]
    const { upstreams } = await connect([{ node: pruned.url }, { node: archive.url }])
    const askedForState = async (): Promise<readonly [number, number]> => {
      const before = [pruned, archive].map(({ asked }) => asked.get('abci_query') ?? 0)
      expect(chainIdOf(await upstreams.query(path, nothing, 3, never))).toBe('262144')
      const [first = 0, second = 0] = [pruned, archive].map(
        ({ asked }, index) => (asked.get('abci_query') ?? 0) - (before[index] ?? 0),
      )
      return [first, second]
    }
    vi.useFakeTimers({ toFake: ['Date'] })
    expect(await askedForState()).toEqual([1, 1])
    expect(await askedForState()).toEqual([0, 1])
    vi.setSystemTime(Date.now() + 600_000)
    await pruned.setFaults({})
    expect(await askedForState()).toEqual([1, 0])
    expect(upstreams.stats().upstreams[0]?.earliestState).toBe(3)
  })

  test('where all said that a state is pruned, the one that said so longest ago is asked again', async () => {
    const nodes = [await serve(), await serve(), await serve()]
    const { upstreams } = await connect(nodes.map(({ url }) => ({ node: url })))
    const asked = (): number => nodes.reduce((sum, node) => sum + (node.asked.get('abci_query') ?? 0), 0)
    vi.useFakeTimers({ toFake: ['Date'] })
    // One after the other loses it and gets it back, as behind a balancer.
    for (const node of nodes) {
      await node.setFaults({ prunedStateBelow: 5 })
      expect(chainIdOf(await upstreams.query(path, nothing, 3, never))).toBe('262144')
      await node.setFaults({})
      vi.setSystemTime(Date.now() + 1_000)
    }
    for (const node of nodes) await node.setFaults({ prunedStateBelow: 5 })
    expect(await errorKindOf(upstreams.query(path, nothing, 3, never))).toBe('pruned')
    // Each call costs one request, not one of each node.
    const before = asked()
    expect(await errorKindOf(upstreams.query(path, nothing, 3, never))).toBe('pruned')
    expect(asked()).toBe(before + 1)
  })

  test.each<readonly [string, Faults]>([
    ['does not answer', { hangs: ['abci_query'] }],
    ['is away', { down: true }],
  ])('where all said so and one %s, another one is asked in its time', async (_, faults) => {
    const [first, second] = [await serve(), await serve()]
    const { upstreams } = await connect([{ node: first.url }, { node: second.url }], { attemptMs: 200 })
    vi.useFakeTimers({ toFake: ['Date'] })
    for (const node of [first, second]) await node.setFaults({ prunedStateBelow: 5 })
    await eventually(async () => {
      await errorKindOf(upstreams.query(path, nothing, 3, never))
      return upstreams.stats().upstreams.every(({ earliestState }) => earliestState === 4)
    })
    await first.setFaults(faults)
    // What is away may have it.
    expect(await errorKindOf(upstreams.query(path, nothing, 3, never))).toBe('unavailable')
    await second.setFaults({})
    expect(chainIdOf(await upstreams.query(path, nothing, 3, never))).toBe('262144')
  })

  test('what is rejected from a state that is not there is no rejection of the chain', async () => {
    const refused = { code: 18, codespace: 'sdk', log: 'insufficient balance for transfer' }
    const alter: Faults['alter'] = (method, result, { path: asked, height }) =>
      method === 'abci_query' && asked === unknown ? { response: { ...refused, height } } : result
    const [pruned, archive] = [await serve({ faults: { alter } }), await serve({ faults: { alter } })]
    const { upstreams } = await connect([{ node: pruned.url }, { node: archive.url }])
    let isKept = false
    upstreams.witnessState({ path, isKept: () => isKept })
    expect(await errorKindOf(upstreams.query(unknown, nothing, 3, never))).toBe('pruned')
    isKept = true
    await expect(upstreams.query(unknown, nothing, 3, never)).rejects.toMatchObject({
      kind: 'refused',
      message: refused.log,
    })
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

  test('one that can be proven does not join one in flight that could not', async () => {
    const replay = await serve({ faults: { delay: 100 } })
    const { upstreams } = await connect([{ node: replay.url }])
    let highest = 8
    let checks = 0
    upstreams.proveStates(
      new StateProofs({
        kind: ics23Proofs,
        rules: () => {
          checks++
          return { name: 'Config', begin: async () => async () => ({ is: 'same', isTelling: true }) }
        },
        highest: () => highest,
        committed: () => ({ appHash: nothing, hash: undefined }),
        log: createThreadLog(() => undefined),
      }),
    )
    const answers = [upstreams.answer(path, nothing, 9, never)]
    await eventually(() => checks === 1)
    highest = 9
    answers.push(upstreams.answer(path, nothing, 9, never))
    expect((await Promise.all(answers)).map(({ outcome }) => outcome)).toEqual(['newest', 'proven'])
  })

  test('what a node says instead of a proof is without its key', async () => {
    const key = 'secret-of-the-operator'
    const log = `the key ${key} has expired`
    const replay = await serve({
      faults: {
        alter: (_, result, { path: asked }) =>
          asked === 'store/evm/key' ? { response: { code: 4, codespace: 'sdk', log } } : result,
      },
    })
    const { upstreams } = await connect([{ node: replay.url, headers: { 'x-api-key': key } }])
    const logs: string[] = []
    upstreams.proveStates(
      new StateProofs({
        kind: ics23Proofs,
        rules: (_, read) => ({
          name: 'Config',
          begin: () => read('evm', Uint8Array.of(3)).then(() => async () => ({ is: 'unjudged' })),
        }),
        highest: () => 9,
        committed: () => ({ appHash: nothing, hash: undefined }),
        log: createThreadLog(({ fields }) => logs.push(JSON.stringify(fields))),
      }),
    )
    expect((await upstreams.answer(path, nothing, 9, never)).outcome).toBe('no proof')
    expect(logs.join()).toContain('the key … has expired')
    expect(logs.join()).not.toContain(key)
  })

  test('proofs that are asked for one after the other share the time of a call', slow, async () => {
    const replay = await serve()
    const { upstreams } = await connect([{ node: replay.url }], { callTimeoutMs: 1_000 })
    await replay.setFaults({ delay: 400 })
    upstreams.proveStates(
      new StateProofs({
        kind: ics23Proofs,
        rules: (_, read) => ({
          name: 'Config',
          begin: async () => {
            const readAny = () =>
              read('evm', Uint8Array.of(3)).catch((error) => {
                if (error instanceof TransportError) throw error
              })
            for (let count = 0; count < 4; count++) await readAny()
            return async () => ({ is: 'same', isTelling: true })
          },
        }),
        highest: () => 9,
        committed: () => ({ appHash: nothing, hash: undefined }),
        log: createThreadLog(() => undefined),
      }),
    )
    expect(await errorKindOf(upstreams.query(path, nothing, 9, never))).toBe('unavailable')
  })

  test('where gRPC is away they go through CometBFT, and it is logged once', async () => {
    const replay = await serve()
    const { upstreams, logs } = await connect([{ node: replay.url, grpc: '127.0.0.1:1' }])
    expect(upstreams.stats().upstreams[0]?.isGrpcReady).toBe(true)
    for (let round = 0; round < 8; round++)
      expect(chainIdOf(await upstreams.query(path, nothing, 10, never))).toBe('262144')
    expect(replay.asked.get('abci_query')).toBe(8)
    expect(logs.filter((line) => line.includes('the gRPC of the node does not answer'))).toHaveLength(1)
    expect(upstreams.stats().upstreams[0]?.isGrpcReady).toBe(false)
  })

  test.each([1, 4, 7, 14, 16])('where gRPC rejects with status %i they do so too', async (grpcStatus) => {
    const replay = await serve({ faults: { grpcStatus } })
    const { upstreams, logs } = await connect([both(replay)])
    for (let round = 0; round < 8; round++)
      expect(chainIdOf(await upstreams.query(path, nothing, 10, never))).toBe('262144')
    expect(replay.asked.get('abci_query')).toBe(8)
    const told = logs.filter((line) => line.includes('the gRPC of the node does not answer'))
    expect(told).toEqual([expect.stringContaining(`status ${grpcStatus}: no healthy upstream`)])
    expect(upstreams.stats().upstreams[0]).toMatchObject({ isGrpcReady: false, state: 'ready' })
  })

  test('another status of gRPC is what the application answers', async () => {
    const replay = await serve({ faults: { grpcStatus: 13 } })
    const { upstreams } = await connect([both(replay)])
    for (let round = 0; round < 8; round++)
      expect(await errorKindOf(upstreams.query(path, nothing, 10, never))).toBe('refused')
    expect(replay.asked.get('abci_query')).toBeUndefined()
    expect(upstreams.stats().upstreams[0]?.isGrpcReady).toBe(true)
  })

  test('where gRPC hangs they go through CometBFT in time, and it is logged', slow, async () => {
    const replay = await serve({ faults: { hangs: ['grpc'] } })
    const { upstreams, logs } = await connect([both(replay)], { callTimeoutMs: 4_000 })
    const light = [10, 11, 12].map((height) => upstreams.query(path, nothing, height, never))
    // The queries of calls have no time of their own but that of their caller.
    const heavy = [10, 11].map((height) =>
      errorKindOf(
        withDeadline(never, 4_000, (limited) => upstreams.query(unknown, nothing, height, limited)),
      ),
    )
    expect((await Promise.all(light)).map(chainIdOf)).toEqual(['262144', '262144', '262144'])
    expect(await Promise.all(heavy)).toEqual(['unknown path', 'unknown path'])
    await eventually(() => upstreams.stats().upstreams[0]?.isGrpcReady === false)
    expect(upstreams.stats().upstreams[0]?.state).toBe('ready')
    expect(logs.filter((line) => line.includes('the gRPC of the node does not answer'))).toHaveLength(1)
  })

  test('neither a caller that leaves nor a deadline by which no way has answered counts against gRPC', async () => {
    const replay = await serve({ faults: { hangs: ['grpc', 'abci_query'] } })
    const { upstreams } = await connect([both(replay)])
    const ask = (signal: AbortSignal, timeoutMs = 60_000) =>
      Promise.all(
        [1, 2, 3, 4, 5, 6].map((height) =>
          errorKindOf(
            withDeadline(signal, timeoutMs, (limited) => upstreams.query(unknown, nothing, height, limited)),
          ),
        ),
      )
    const leaving = new AbortController()
    const left = ask(leaving.signal)
    leaving.abort()
    await left
    expect(new Set(await ask(never, 100))).toEqual(new Set(['unavailable']))
    await new Promise(setImmediate) // the calls themselves end after those who left
    expect(upstreams.stats().upstreams[0]).toMatchObject({ isGrpcReady: true, state: 'ready' })
  })

  test('the deadline of its caller ends a call, and not before, and is not a failure of the node', async () => {
    const replay = await serve({ faults: { hangs: ['abci_query'] } })
    const { upstreams } = await connect([{ node: replay.url }], { heavyTimeoutMs: 20 })
    const trace = (height: number) =>
      withTimeout(500, traceTimedOut, never, (limited) => upstreams.query(unknown, nothing, height, limited))
    await Promise.all([1, 2, 3, 4, 5].map((height) => expect(trace(height)).rejects.toEqual(traceTimedOut())))
    expect(upstreams.stats().upstreams[0]).toMatchObject({ failures: 0, state: 'ready' })
  })

  test('an error whose text gRPC loses is requested through CometBFT', async () => {
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
      { drip: { bytes: 1, every: 1_000 } },
      { delay: 60_000 },
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
      expect(performance.now() - began).toBeLessThan(20_000)
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
    await eventually(() => upstreams.stats().upstreams[0]?.state === 'ready')
    await upstreams.block(10, never)
    expect(first.asked.get('block')).toBe(1)
  })

  test('without any node calls fail at once, and the reason is given', async () => {
    const replay = await serve()
    const { upstreams } = await connect([{ node: replay.url }])
    await replay.setFaults({ down: true })
    for (let round = 0; round < 6; round++)
      expect(await errorKindOf(upstreams.block(3, never))).toBe('unavailable')
    const began = performance.now()
    await expect(upstreams.block(3, never)).rejects.toThrow(/does not answer|not there|ECONNREFUSED/)
    // A call that waited would take 10 s.
    expect(performance.now() - began).toBeLessThan(5_000)
    await replay.setFaults({})
    await eventually(async () => (await errorKindOf(upstreams.block(3, never))) !== 'unavailable')
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
    // That it cannot be asked does not mean that nobody has what is requested.
    await other.setFaults({ prunedStateBelow: 5 })
    expect(await errorKindOf(upstreams.query(path, nothing, 3, never))).toBe('unavailable')
  })

  test('what one node rejects is asked of the next, but for what the EVM rejects', async () => {
    const refusing = (log: string): Faults => ({
      alter: (method, result) =>
        method === 'abci_query' ? { response: { code: 18, codespace: 'sdk', log } } : result,
    })
    const closed = 'the store is closed'
    const [first, second] = [await serve({ faults: refusing(closed) }), await serve()]
    const { upstreams } = await connect([{ node: first.url }, { node: second.url }])
    const call = '/cosmos.evm.vm.v1.Query/TraceBlock'
    expect(chainIdOf(await upstreams.query(path, nothing, 5, never))).toBe('262144')
    await second.setFaults(refusing(closed))
    for (const asked of [path, call])
      await expect(upstreams.query(asked, nothing, 5, never)).rejects.toMatchObject({
        kind: 'refused',
        message: closed,
      })
    // They do not agree: none of them speaks for the chain.
    await second.setFaults(refusing('this key is not known'))
    for (const asked of [path, call])
      expect(await errorKindOf(upstreams.query(asked, nothing, 6, never))).toBe('unavailable')
    const before = second.asked.get('abci_query')
    await first.setFaults(refusing('rpc error: code = Internal desc = execution reverted: unknown method'))
    await expect(upstreams.query(call, nothing, 7, never)).rejects.toMatchObject({
      kind: 'refused',
      message: 'execution reverted: unknown method',
    })
    expect(second.asked.get('abci_query')).toBe(before)
  })

  test('a module that panics is asked at another node, and the node stays open for the rest', async () => {
    const log = 'runtime error: invalid memory address or nil pointer dereference: panic'
    const first = await serve({
      faults: {
        alter: (method, result) =>
          method === 'abci_query' ? { response: { code: 111222, codespace: 'sdk', log } } : result,
      },
    })
    const second = await serve()
    const { upstreams } = await connect([{ node: first.url }, { node: second.url }])
    for (let height = 1; height <= 15; height++)
      expect(chainIdOf(await upstreams.query(path, nothing, height, never))).toBe('262144')
    expect(first.asked.get('abci_query')).toBe(15)
    await second.setFaults({ down: true })
    expect(await errorKindOf(upstreams.query(path, nothing, 3, never))).toBe('unavailable')
  })

  test('a response that cannot be read is requested at another node, and the node stays open for the rest', async () => {
    const first = await serve({
      faults: {
        alter: (method, result, { height }) =>
          method === 'abci_query' ? { response: { code: 0, value: '/////w==', height } } : result,
      },
    })
    const second = await serve()
    const { upstreams } = await connect([{ node: first.url }, { node: second.url }])
    const ask = (height: number) =>
      upstreams.query(path, nothing, height, never, readableAs(QueryConfigResponseSchema))
    for (let height = 1; height <= 15; height++) expect(chainIdOf(await ask(height))).toBe('262144')
    expect(first.asked.get('abci_query')).toBe(15)
    expect(upstreams.stats().upstreams[0]?.state).toBe('ready')
    await second.setFaults({ down: true })
    expect(await errorKindOf(ask(3))).toBe('unavailable')
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

  test('a lie costs a node its place, and the response comes from another', async () => {
    const first = await serve({ faults: { wrongHashAt: 7 } })
    const second = await serve()
    const { upstreams } = await connect([{ node: first.url }, { node: second.url }])
    const reply = (await upstreams.block(7, never)) as { block_id: { hash: string } }
    const hash = Buffer.from(emptyChain(20).built(7)?.hash ?? [])
      .toString('hex')
      .toUpperCase()
    expect(reply.block_id.hash).toBe(hash)
    expect(upstreams.stats().upstreams[0]?.state).toBe('quarantined')
    await upstreams.block(8, never)
    expect(first.asked.get('block')).toBe(1)
  })

  test('a block that is not the stored one is not served, and another node is asked', async () => {
    const other = await serve({ chain: new SyntheticChain({ family: 'cosmos-evm-0.7', length: 20 }) })
    const first = await serve()
    const { upstreams } = await connect([{ node: other.url }, { node: first.url }])
    const stored = emptyChain(20).built(7)?.hash
    upstreams.compareBlocks((height) => (height === 7 ? stored : undefined))
    const reply = (await upstreams.block(7, never)) as { block_id: { hash: string } }
    expect(reply.block_id.hash).toBe(
      Buffer.from(stored ?? [])
        .toString('hex')
        .toUpperCase(),
    )
    expect([other.asked.get('block'), first.asked.get('block')]).toEqual([1, 1])
    expect(upstreams.stats().upstreams[0]?.state).toBe('ready')
    await upstreams.block(8, never)
    expect(other.asked.get('block')).toBe(2)
    await first.setFaults({ down: true })
    expect(await errorKindOf(upstreams.block(7, never))).toBe('unavailable')
  })

  test('a quarantine ends when the node is healthy, and not before', slow, async () => {
    // It has another block at that height, which is not a proven lie.
    const before = JSON.parse(emptyChain(20).block(19) ?? '') as unknown
    const alter = (method: string, result: unknown) => (method === 'block' ? before : result)
    const node = await serve({ faults: { alter } })
    const { upstreams, logs } = await connect([{ node: node.url }], { probeEveryMs: 10 })
    const state = () => upstreams.stats().upstreams[0]?.state
    expect(await errorKindOf(upstreams.block(20, never))).toBe('unavailable')
    const asked = node.asked.get('block') ?? 0
    await eventually(() => (node.asked.get('block') ?? 0) >= asked + 2)
    expect(state()).toBe('quarantined')
    await node.setFaults({})
    await eventually(() => state() === 'ready')
    expect(await upstreams.block(20, never)).toBeDefined()
    expect(logs.join()).toContain('the node is healthy')
  })

  test('lies of calls that were in flight together are reported once', async () => {
    const replay = await serve()
    const lies: string[] = []
    const { upstreams } = await connect([{ node: replay.url }], { onLie: (_, lie) => lies.push(lie.message) })
    const { selector } = upstreams
    const [upstream] = selector.candidates({ weight: 'light', kind: 'any' })
    if (upstream === undefined) throw new Error('the node cannot be asked')
    const tell = (height: number) =>
      selector.attempt(
        upstream,
        () => Promise.reject(new ProvenLie('forged state', height, 'it lied')),
        never,
      )
    const told = await Promise.allSettled([1, 2, 3].map(tell))
    expect(told.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected'])
    expect(lies).toEqual(['block 1: it lied'])
    expect(upstreams.stats().upstreams[0]).toMatchObject({ state: 'quarantined', quarantines: 1 })
  })

  test('a quarantine for a proven lie does not end by health', slow, async () => {
    const node = await serve({ faults: { wrongHashAt: 7 } })
    const { upstreams } = await connect([{ node: node.url }], { probeEveryMs: 10 })
    expect(await errorKindOf(upstreams.block(7, never))).toBe('unavailable')
    await node.setFaults({})
    const asked = node.asked.get('block') ?? 0
    // More healthy probes than end a first quarantine for a suspicion.
    await eventually(() => (node.asked.get('block') ?? 0) >= asked + 5)
    expect(upstreams.stats().upstreams[0]?.state).toBe('quarantined')
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
    expect(await upstreams.consensusParams(10, never)).toBe(emptyChain(20).built(10)?.maxGas)
    expect(await upstreams.txByHash(new Uint8Array(32), never)).toBeUndefined()
    expect((await upstreams.broadcast(Uint8Array.of(1, 2, 3), never)).code).not.toBe(0)
    expect((await upstreams.blockResults(10, never)) as object).toMatchObject({ height: '10' })
  })
})
