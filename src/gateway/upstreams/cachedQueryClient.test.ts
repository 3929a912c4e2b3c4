import { create, toBinary } from '@bufbuild/protobuf'
import { expect, test } from 'vitest'
import { closeAfterEach, connect, serve } from '../../../test/gateway/replay/openUpstreams.ts'
import type { BlockRef } from '../../chain/port/blockRef.ts'
import type { NativeQueryClient } from '../../comet/data/nativeQuery.ts'
import { QueryTraceBlockResponseSchema } from '../../cosmos/gen/cosmos/evm/vm/v1/query_pb.ts'
import { AnswerSchema, ExecuteResponseSchema } from '../../cosmos/gen/perihelion/v1/query_pb.ts'
import { evmMethods } from '../../cosmos/queries/moduleMethods.ts'
import { families, familyNamed } from '../../families/families.ts'
import { createPerihelionExecutor } from '../../families/perihelion/perihelionExecutor.ts'
import { createPerihelionState } from '../../families/perihelion/perihelionStateView.ts'
import { ModuleQueryClient } from '../../families/queries/moduleQueryClient.ts'
import { findOperator } from '../../families/queries/operators.ts'
import type { StateOutcome } from '../../light/state/stateProofs.ts'
import { CachedQueryClient, type StateAnswers } from './cachedQueryClient.ts'

closeAfterEach()

const options = { bytes: 1500, maxResponseBytes: 1000, isFinal: (path: string) => path !== '/Failing' }
const never = new AbortController().signal

const setUp = () => {
  const queried: string[] = []
  const queries: StateAnswers = {
    answer: async (path, request, height) => {
      queried.push(`${path} ${height}`)
      return { response: Uint8Array.of(queried.length, ...request), outcome: undefined }
    },
    prove: () => Promise.reject(new Error('not asked')),
  }
  return { cached: new CachedQueryClient(options, queries), queried }
}

test('what was answered for a height is not queried again, what is newest always is', async () => {
  const { cached, queried } = setUp()
  const ask = (height: number | undefined) => cached.query('/Account', Uint8Array.of(7), height, never)
  expect([...(await ask(5))]).toEqual([1, 7])
  expect([...(await ask(5))]).toEqual([1, 7])
  await ask(6)
  await ask(undefined)
  await ask(undefined)
  expect(cached.hits).toBe(1)
  expect(queried).toEqual(['/Account 5', '/Account 6', '/Account undefined', '/Account undefined'])
})

test('what was believed is queried again once it can be proven, and until it was', async () => {
  let outcome: StateOutcome = 'newest'
  const provable = new Set<StateOutcome | undefined>()
  const queried: number[] = []
  const queries: StateAnswers = {
    answer: async (_path, _request, height = 0) => ({
      response: Uint8Array.of(queried.push(height)),
      outcome,
    }),
    prove: () => Promise.reject(new Error('not asked')),
  }
  const canProveMore = (was: StateOutcome | undefined) => provable.has(was)
  const cached = new CachedQueryClient({ ...options, canProveMore }, queries)
  const ask = async () => (await cached.query('/Account', Uint8Array.of(7), 5, never))[0]
  expect([await ask(), await ask()]).toEqual([1, 1])
  provable.add('newest')
  // A node without proofs is believed while the chain has given none.
  outcome = 'no proof'
  expect([await ask(), await ask()]).toEqual([2, 2])
  provable.add('no proof')
  expect([await ask(), await ask()]).toEqual([3, 4])
  outcome = 'proven'
  expect([await ask(), await ask()]).toEqual([5, 5])
})

test('the room for answers is limited', async () => {
  const { cached, queried } = setUp()
  for (let height = 1; height <= 20; height++) await cached.query('/Code', new Uint8Array(50), height, never)
  await cached.query('/Code', new Uint8Array(50), 20, never)
  await cached.query('/Code', new Uint8Array(50), 1, never)
  expect(queried.length).toBe(21)
})

test('a failure is not cached', async () => {
  const { cached, queried } = setUp()
  for (let round = 0; round < 2; round++) await cached.query('/Failing', Uint8Array.of(1), 5, never)
  expect(queried.length).toBe(2)
})

const garbled = Uint8Array.of(0xff, 0xff, 0xff)
const answerOf = (value: Uint8Array): Uint8Array =>
  toBinary(AnswerSchema, create(AnswerSchema, { outcome: { case: 'value', value } }))
const executed = (json: string): Uint8Array =>
  answerOf(toBinary(ExecuteResponseSchema, create(ExecuteResponseSchema, { answer: Buffer.from(json) })))
const latest: BlockRef = { kind: 'tag', tag: 'latest' }
const packages = { evmPackage: 'cosmos.evm.vm.v1', feemarketPackage: 'none', earliestState: 1 }
const call = '{"isSuccess":true,"isRevert":false,"output":"0x","gasUsed":"0x1"}'

test.each<readonly [string, Uint8Array, Uint8Array, (queries: NativeQueryClient) => Promise<unknown>]>([
  [
    'of a module',
    garbled,
    new Uint8Array(),
    (queries) => new ModuleQueryClient(queries, packages).evm(evmMethods.code, {}, 5, never),
  ],
  [
    'about an operator',
    garbled,
    new Uint8Array(),
    (queries) => findOperator(queries, { ...packages, bech32Prefix: 'cosmos' }, new Uint8Array(20), 5, never),
  ],
  [
    'of a Perihelion node',
    answerOf(garbled),
    answerOf(new Uint8Array()),
    async (queries) => createPerihelionState(queries)({ block: 5 }, () => never).nonce(new Uint8Array(20)),
  ],
  [
    'of a Perihelion node to a call',
    executed('{'),
    executed(call),
    async (queries) =>
      createPerihelionExecutor({ queries, resolve: () => 5, timeoutMs: 60_000 }).call(
        { request: {} },
        latest,
        never,
      ),
  ],
])('a response %s that cannot be read is not kept', async (_, bad, good, ask) => {
  let value = bad
  const replay = await serve({
    faults: {
      alter: (method, result, { height }) =>
        method === 'abci_query'
          ? { response: { code: 0, value: Buffer.from(value).toString('base64'), height } }
          : result,
    },
  })
  const { upstreams } = await connect([{ node: replay.url }])
  const cached = new CachedQueryClient({ ...options, isFinal: () => true }, upstreams)
  await expect(ask(cached)).rejects.toMatchObject({ kind: 'unavailable' })
  value = good
  await ask(cached)
  await ask(cached)
  expect([replay.asked.get('abci_query'), cached.hits]).toEqual([2, 1])
})

test('what a call on Ethermint gave is not kept: it sees the time of the newest block at every height', async () => {
  const { isFinalResponse } = familyNamed('ethermint')
  const isFinal = (method: string) => isFinalResponse(`/ethermint.evm.v1.Query/${method}`, new Uint8Array(1))
  expect(['EthCall', 'EstimateGas', 'Account', 'TraceTx'].map(isFinal)).toEqual([false, false, true, true])
})

test.each(families.filter(({ blocks }) => blocks.hash === 'engine'))(
  'the traces of a block on $name are not kept if its node had no time for one of them',
  ({ evmPackage, isFinalResponse }) => {
    const isFinal = (traces: readonly object[]) => {
      const data = Buffer.from(JSON.stringify(traces))
      const response = toBinary(
        QueryTraceBlockResponseSchema,
        create(QueryTraceBlockResponseSchema, { data }),
      )
      return isFinalResponse(`/${evmPackage}.Query/TraceBlock`, response)
    }
    const reverted = { result: { from: '0x1', error: 'execution reverted', revertReason: '{"error":1}' } }
    expect(isFinal([])).toBe(true)
    expect(isFinal([reverted, reverted])).toBe(true)
    expect(isFinal([reverted, { error: 'rpc error: code = Internal desc = execution timeout' }])).toBe(false)
  },
)
