import { create, fromBinary, toBinary } from '@bufbuild/protobuf'
import { encodeFunctionData, type Hex } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { keccak256 } from '../../../src/base/crypto/crypto.ts'
import { concatBytes } from '../../../src/base/encoding/bytes.ts'
import { fromHex, toHex } from '../../../src/base/encoding/hex.ts'
import { ChainError } from '../../../src/chain/chainError.ts'
import { parseChainConfig } from '../../../src/chain/config/chainConfig.ts'
import type { LiveChainConfig } from '../../../src/chain/config/liveConfig.ts'
import type { BlockRef } from '../../../src/chain/port/blockRef.ts'
import type { CallRequest, Executor } from '../../../src/chain/port/executor.ts'
import type { StateView } from '../../../src/chain/port/state.ts'
import { defaultTraceOptions, type Tracing } from '../../../src/chain/port/traces.ts'
import type { NativeQueryClient } from '../../../src/comet/data/nativeQuery.ts'
import { AnswerSchema } from '../../../src/cosmos/gen/perihelion/v1/query_pb.ts'
import { perihelionQueries } from '../../../src/cosmos/queries/perihelionQueries.ts'
import {
  createPerihelionValidators,
  watchPerihelionStatus,
} from '../../../src/families/perihelion/networkStatus.ts'
import { createPerihelionExecutor } from '../../../src/families/perihelion/perihelionExecutor.ts'
import { createPerihelionState } from '../../../src/families/perihelion/perihelionStateView.ts'
import { createPerihelionTraces } from '../../../src/families/perihelion/perihelionTraces.ts'
import { slow } from '../../support/slow.ts'
import { compileTraffic } from '../../support/traffic/contract.ts'
import { handlerOf, inProcessQueries } from './inProcess.ts'
import { type SoloChain, startSoloChain } from './soloChain.ts'

const never = new AbortController().signal
const latest: BlockRef = { kind: 'tag', tag: 'latest' }
const numbered = (number: number): BlockRef => ({ kind: 'number', number: BigInt(number) })
const zero = new Uint8Array(32)

/** Plain values: bytes and integers as text, traces as what they say. */
const plain = async (value: unknown): Promise<unknown> => {
  if (value instanceof Uint8Array) return toHex(value)
  if (typeof value === 'bigint') return value.toString()
  if (Array.isArray(value)) return Promise.all(value.map(plain))
  if (typeof value !== 'object' || value === null) return value
  if ('dispose' in value && 'bytes' in value) return Buffer.from(value.bytes as Uint8Array).toString()
  const entries = Object.entries(value).filter(([, member]) => member !== undefined)
  return Object.fromEntries(
    await Promise.all(entries.map(async ([name, member]) => [name, await plain(member)] as const)),
  )
}

const outcomeOf = async (act: () => unknown): Promise<unknown> => {
  try {
    return await plain(await act())
  } catch (error) {
    if (error instanceof ChainError) return `${error.kind}: ${error.message}`
    throw error
  }
}

describe('a gateway asks a node of our own', () => {
  let solo: SoloChain
  let head: number
  let queries: NativeQueryClient
  let contract: Uint8Array
  let sender: Uint8Array
  const { abi } = compileTraffic()
  const input = (name: string, ...args: readonly unknown[]): Uint8Array =>
    fromHex(encodeFunctionData({ abi, functionName: name, args }) as Hex)

  let ports: readonly [Ports, Ports]
  interface Ports {
    readonly executor: Executor
    readonly traces: Tracing
    readonly state: (at: number) => StateView | Promise<StateView>
  }

  beforeAll(async () => {
    solo = await startSoloChain(30)
    const { chain } = solo.node
    head = chain.head().number
    contract = fromHex(solo.traffic.contract)
    sender = fromHex(solo.traffic.addresses[0] as string)
    queries = inProcessQueries(handlerOf(chain))
    const resolve = (ref: BlockRef) => chain.blocks.resolve(ref)
    const stateAt = createPerihelionState(queries)
    ports = [
      { executor: chain.executor, traces: chain.traces, state: (at) => chain.state(numbered(at)) },
      {
        executor: createPerihelionExecutor({ queries, resolve, timeoutMs: 120_000 }),
        traces: createPerihelionTraces({ queries, resolve, locate: (hash) => chain.blocks.locate(hash) }),
        state: (at) => stateAt({ block: at }, () => never),
      },
    ]
  })
  afterAll(() => solo?.close())

  /** The same from both, a refusal too; gives it. */
  const same = async (ask: (ports: Ports) => unknown): Promise<unknown> => {
    const node = await outcomeOf(() => ask(ports[0]))
    const gateway = await outcomeOf(() => ask(ports[1]))
    expect(gateway).toEqual(node)
    return node
  }

  test('states at every height', slow, async () => {
    const absent = new Uint8Array(20).fill(0x99)
    for (let at = 0; at <= head; at++) {
      for (const who of [contract, sender, absent]) {
        await same(async ({ state }) => (await state(at)).account(who))
        await same(async ({ state }) => (await state(at)).balance(who))
        await same(async ({ state }) => (await state(at)).nonce(who))
        await same(async ({ state }) => (await state(at)).code(who))
      }
      await same(async ({ state }) => (await state(at)).storage(contract, zero))
      await same(async ({ state }) => (await state(at)).prove(contract, [zero, new Uint8Array(32).fill(1)]))
      await same(async ({ state }) => (await state(at)).prove(absent, [zero]))
      await same(async ({ state }) => (await state(at)).accounts(zero, 5))
      await same(async ({ state }) => (await state(at)).accounts(zero, 1000))
      await same(async ({ state }) => (await state(at)).slots(contract, zero, 4))
    }
  })

  test('what the chain is, and who decides its blocks', async () => {
    const { chain } = solo.node
    const { path, request, response } = perihelionQueries.genesis
    const answer = fromBinary(
      AnswerSchema,
      await queries.query(path, toBinary(request, create(request)), 0, never),
    )
    const genesis = fromBinary(response, answer.outcome.value as Uint8Array)
    expect(keccak256(genesis.header)).toEqual(chain.blocks.hash(0))
    // What follows the schedule of a living chain is not part of its rules.
    const {
      follow: _,
      replace: __,
      unknownForks,
      inapplicableForks,
      forkVersions,
      ...rules
    } = chain.config as LiveChainConfig // the node's own
    expect([unknownForks, inapplicableForks, forkVersions.size]).toEqual([[], [], 0])
    expect(parseChainConfig(JSON.parse(Buffer.from(genesis.config).toString()))).toEqual(rules)
    expect((await watchPerihelionStatus(queries, 10_000, never)).latest).toEqual({
      height: head,
      retention: chain.retention(),
      minimumGasPrice: 7n,
    })
    const validators = createPerihelionValidators(queries, 10_000)
    for (const number of [0, 1, head, head + 1])
      for (const name of ['validators', 'validatorSet', 'proposal'] as const) {
        // Of the next block nothing but the set is known.
        if (number > head && name !== 'validatorSet') continue
        const node = await outcomeOf(() => chain.network[name](number))
        expect(await outcomeOf(() => validators[name](number)), `${name} ${number}`).toEqual(node)
      }
  })

  test('calls, estimates, access lists, with everything that a question can hold', async () => {
    const questions: CallRequest[] = [
      { request: { to: contract, data: input('fail', 'on purpose') } },
      { request: { from: sender, to: contract, data: input('move', 5n, '0x0102'), value: 1n } },
      { request: { from: sender, to: contract, data: input('fill', 2n, 3n), gas: 200_000n } },
      { request: { to: contract, data: input('loop'), gas: 100_000n } },
      { request: { from: sender, value: 10n ** 30n, to: contract } },
      { request: { data: fromHex('0x600a600c600039600a6000f3602a60005260206000f3') } },
      { request: { from: sender, to: contract, maxFeePerGas: 1n, maxPriorityFeePerGas: 2n } },
      { request: { from: sender, to: contract, gasPrice: 1n, type: 0n, nonce: 3n, chainId: 31_337n } },
      { request: { from: sender, to: contract, chainId: 1n } },
      {
        request: {
          from: sender,
          to: contract,
          gas: 500_000n,
          accessList: [{ address: contract, storageKeys: [zero] }],
          authorizationList: [
            { chainId: 31_337n, address: contract, nonce: 1n, yParity: 1, r: 2n ** 255n, s: 9n },
          ],
        },
      },
      {
        request: { to: contract },
        stateOverrides: [
          {
            address: contract,
            code: fromHex('0x5f5460015401475f5260205ff3'),
            balance: 2n ** 200n,
            nonce: 9n,
            state: concatBytes(zero, new Uint8Array(32).fill(3)),
          },
          { address: sender, stateDiff: concatBytes(zero, new Uint8Array(32).fill(4)) },
        ],
        blockOverrides: {
          number: 10n ** 20n,
          time: 77n,
          gasLimit: 30_000_000n,
          feeRecipient: sender,
          prevRandao: zero,
          baseFeePerGas: 3n,
          blobBaseFee: 4n,
        },
      },
      {
        request: {},
        blockOverrides: { withdrawals: [{ index: 1n, validatorIndex: 2n, address: sender, amount: 3n }] },
      },
      { request: { to: contract }, stateOverrides: [{ address: sender, movePrecompileToAddress: contract }] },
    ]
    for (const question of questions)
      for (const at of [latest, numbered(0), numbered(Math.floor(head / 2)), numbered(head + 5)]) {
        await same(({ executor }) => executor.call(question, at, never))
        await same(({ executor }) => executor.estimateGas(question, at, never))
        await same(({ executor }) => executor.createAccessList(question, at, never))
      }
  })

  test('bundles, simulations and states within a block', async () => {
    const requests = [
      { from: sender, to: contract, data: input('fill', 1n, 2n) },
      { to: contract, data: input('fail', 'no') },
      { from: contract, to: sender, value: 10n ** 40n },
    ]
    const bundles = [{ requests }, { requests, blockOverrides: { number: 99n } }]
    for (const before of [undefined, 0, 1, 7])
      await same(({ executor }) =>
        executor.callMany(bundles, [{ address: sender, balance: 5n }], numbered(head - 3), before, never),
      )
    for (const [validation, returnFullTransactions] of [
      [false, true],
      [true, false],
    ] as const)
      await same(({ executor }) =>
        executor.simulate(
          {
            blocks: [
              { calls: requests, stateOverrides: [{ address: sender, balance: 10n ** 20n }] },
              { calls: [], blockOverrides: { time: 2n ** 40n } },
            ],
            traceTransfers: true,
            validation,
            returnFullTransactions,
          },
          latest,
          never,
        ),
      )
    for (const [number, index] of [
      [head, 0],
      [head - 4, 1],
      [0, 0],
    ] as const)
      await same(async ({ executor }) => {
        const state = await executor.stateBefore({ number, index }, never)
        return [
          await state.slots(contract, zero, 100),
          await state.balance(sender),
          (await state.account(contract))?.codeHash,
        ]
      })
  })

  test('traces of every block, its transactions, calls and roots', slow, async () => {
    const { blocks } = solo.node.chain
    for (const number of [0, 1, ...Array.from({ length: 10 }, (_, back) => head - back)]) {
      const tracer = number % 2 ? 'callTracer' : 'prestateTracer'
      await same(({ traces }) => traces.block(numbered(number), { ...defaultTraceOptions, tracer }, never))
      await same(({ traces }) => traces.intermediateRoots(numbered(number), never))
      const rlp = blocks.blockRlp(number)
      if (number % 5 === 3 && rlp !== undefined)
        await same(({ traces }) => traces.encodedBlock(rlp, { ...defaultTraceOptions, limit: 100 }, never))
      const json = blocks.transactionJson({ number, index: 0 })
      const hash = json && fromHex(JSON.parse(Buffer.from(json).toString()).hash as string)
      if (hash !== undefined)
        await same(({ traces }) =>
          traces.transaction(hash, { ...defaultTraceOptions, enableMemory: true }, never),
        )
    }
    await same(({ traces }) => traces.transaction(zero, defaultTraceOptions, never))
    await same(({ traces }) =>
      traces.block({ kind: 'hash', hash: zero, requireCanonical: false }, defaultTraceOptions, never),
    )
    await same(({ traces }) => traces.encodedBlock(Uint8Array.of(1, 2), defaultTraceOptions, never))
    await same(({ traces }) => traces.block(latest, { ...defaultTraceOptions, tracer: 'noTracer' }, never))
    await same(({ traces }) =>
      traces.block(
        latest,
        { ...defaultTraceOptions, tracer: 'callTracer', tracerConfig: { withLog: true } },
        never,
      ),
    )
    await same(({ traces }) =>
      traces.call(
        { request: { from: sender, to: contract, data: input('fill', 1n, 2n) }, transactionIndex: 0 },
        latest,
        { ...defaultTraceOptions, overrides: { osakaTime: '0' } },
        never,
      ),
    )
    await same(({ traces }) =>
      traces.call({ request: { to: contract, gas: 1n } }, latest, defaultTraceOptions, never),
    )
  })
})

test('a state that is not kept is refused in the words of the node', async () => {
  const solo = await startSoloChain(4, { pruning: 'everything' })
  try {
    const { chain } = solo.node
    const handler = handlerOf(chain)
    const queries = inProcessQueries(handler)
    const gateway = createPerihelionState(queries)({ block: 1 }, () => never)
    const who = new Uint8Array(20)
    const node = await outcomeOf(async () => (await chain.state(numbered(1))).balance(who))
    expect(node).toMatch(/^state pruned: the state of block 1 is not kept: \d+ is the earliest$/)
    expect(await outcomeOf(() => gateway.balance(who))).toBe(node)
    expect((await watchPerihelionStatus(queries, 10_000, never)).latest.retention).toEqual(chain.retention())
    const { path, request } = perihelionQueries.account
    const data = toBinary(request, create(request, { address: who }))
    const answer = await handler({
      $typeName: 'perihelion.abci.v1.QueryRequest',
      path,
      data,
      height: 1n,
      prove: false,
    })
    expect(answer).toMatchObject({ code: 38, codespace: 'sdk' })
    expect(answer.log).toMatch(/^failed to load state at height 1; .* \(latest height: \d+\): not found$/)
  } finally {
    await solo.close()
  }
})
