import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { fromHex } from '../../../src/base/encoding/hex.ts'
import { encodeRlp } from '../../../src/base/encoding/rlp.ts'
import type { BlockRef } from '../../../src/chain/port/blockRef.ts'
import type { CallOutcome, CallRequest, CallWitness, Executor } from '../../../src/chain/port/executor.ts'
import { encodeJson } from '../../../src/cosmos/queries/codec.ts'
import { perihelionQueries } from '../../../src/cosmos/queries/perihelionQueries.ts'
import { callOutcome } from '../../../src/cosmos/queries/requestCodecs.ts'
import { callOf, simulationOf } from '../../../src/provider/calls/question.ts'
import { createQuestions, type Question } from '../../provider/questions.ts'
import { createRandom } from '../../support/random.ts'
import { altered, gatewayOver, type Lie, lieOfFailure, lieOfWitness } from './provenCalls.ts'
import { type SoloChain, startSoloChain } from './soloChain.ts'

/** Calls that a gateway executes on states that are proven, whatever nodes say. */

const never = new AbortController().signal
const honest: Lie = (_path, response) => response

let solo: SoloChain
let head: number
let before: BlockRef
/** Reads its own slots. */
let call: CallRequest
let asIs: CallOutcome

const numbered = (height: number): BlockRef => ({ kind: 'number', number: BigInt(height) })

beforeAll(async () => {
  solo = await startSoloChain(12)
  head = solo.node.chain.head().number
  before = numbered(head - 1)
  const [from = ''] = solo.traffic.addresses
  const [, data] = createDataOf()
  call = { request: { from: fromHex(from), to: fromHex(solo.traffic.contract), data: fromHex(data) } }
  asIs = await solo.node.chain.executor.call(call, before, never)
})
afterAll(() => solo.close())

/** A question of the generator that calls the contract. */
const createDataOf = (): readonly [Question, string] => {
  const next = questions(1)
  for (;;) {
    const question = next()
    const { to, data = '0x' } = (question[1] ?? {}) as { to?: string; data?: string }
    if (
      question[0] === 'eth_call' &&
      to === solo.traffic.contract &&
      data.length > 100 &&
      question.length === 3
    )
      return [question, data]
  }
}

const questions = (seed: number): (() => Question) =>
  createQuestions(
    {
      head: solo.node.chain.head().number - 1,
      contract: solo.traffic.contract,
      accounts: solo.traffic.addresses,
      transactions: ['0x'],
      urls: [],
      trust: { height: 1, hash: '' },
    },
    createRandom(seed),
  )

/** Asks an executor a question; an error is an answer too. */
const ask = async (executor: Executor, [method, ...params]: Question): Promise<unknown> => {
  const at = numbered(Number(params[1]))
  const callOfKind = (kind: 'call' | 'estimate' | 'accessList'): CallRequest =>
    (callOf(method, kind, params).question as { call: CallRequest }).call
  try {
    switch (method) {
      case 'eth_call':
        return await executor.call(callOfKind('call'), at, never)
      case 'eth_estimateGas':
        return await executor.estimateGas(callOfKind('estimate'), at, never)
      case 'eth_createAccessList':
        return await executor.createAccessList(callOfKind('accessList'), at, never)
      default: {
        const { question } = simulationOf(params)
        if (question.kind !== 'simulate') throw new Error('it is not a simulation')
        const { json, failure } = await executor.simulate(question.simulation, at, never)
        return { failure, json: json && Buffer.from(json).toString() }
      }
    }
  } catch (error) {
    const { kind, message } = error as { kind?: string; message: string }
    return { kind, message }
  }
}

const executed = /^eth_(?:call|estimateGas|createAccessList|simulateV1)$/

const compareMany = async (count: number, inlineGas: bigint): Promise<void> => {
  const { executor, lies, calls } = await gatewayOver(solo, [honest], inlineGas)
  const next = questions(48)
  for (let asked = 0; asked < count; ) {
    const question = next()
    if (!executed.test(question[0])) continue
    asked++
    expect([question, await ask(executor, question)]).toEqual([
      question,
      await ask(solo.node.chain.executor, question),
    ])
  }
  expect(lies).toEqual([])
  const counts = calls.counts()
  expect(counts.get('unproven') ?? 0).toBe(0)
  expect(counts.get('proven')).toBeGreaterThan(count / 2)
}

describe('calls on proven states', () => {
  test('are answered as by the node', () => compareMany(200, 10_000_000n), 240_000)

  test('are answered as by the node where a worker runs them', () => compareMany(60, 1n), 240_000)

  test('of the newest block are believed', async () => {
    const { executor, calls } = await gatewayOver(solo, [honest])
    await executor.call(call, numbered(head), never)
    expect(calls.counts()).toEqual(new Map([['believed', 1]]))
  })

  test('ask for nothing again on the same state', async () => {
    let asked = 0
    const counting: Lie = (_path, response) => {
      asked++
      return response
    }
    const { executor } = await gatewayOver(solo, [counting])
    expect(await executor.call(call, before, never)).toEqual(asIs)
    const once = asked
    expect(await executor.call(call, before, never)).toEqual(asIs)
    expect(asked).toBe(once)
  })
})

const madeUp = encodeRlp([Uint8Array.of(0x20, 1), Uint8Array.of(7)])

const lies: readonly (readonly [string, (witness: CallWitness) => CallWitness])[] = [
  ['other code', (witness) => ({ ...witness, codes: [Uint8Array.of(0xfe)] })],
  ['a node of nothing', ({ nodes, ...others }) => ({ ...others, nodes: [...nodes, madeUp] })],
  ['no root', ({ nodes, ...others }) => ({ ...others, nodes: nodes.slice(1) })],
  [
    'nodes that are changed',
    ({ nodes, ...others }) => ({ ...others, nodes: nodes.map((node) => node.with(-1, 0x55)) }),
  ],
]

describe('a witness with', () => {
  test.each(lies)('%s is a lie: it is not used, and another node is asked', async (_, alter) => {
    const alone = await gatewayOver(solo, [lieOfWitness(alter)])
    await expect(alone.executor.call(call, before, never)).rejects.toMatchObject({ kind: 'unavailable' })
    expect(alone.lies).toEqual([expect.stringContaining('a witness of a call')])
    expect(alone.calls.counts().get('unproven')).toBe(1)
    const beside = await gatewayOver(solo, [lieOfWitness(alter), honest])
    expect(await beside.executor.call(call, before, never)).toEqual(asIs)
    expect(beside.lies).toHaveLength(1)
  })

  test('the values of another block is a lie', async () => {
    const { believing } = await gatewayOver(solo, [honest])
    const old = await believing.witness({ kind: 'call', call }, numbered(head - 6), never)
    const { executor, lies: found } = await gatewayOver(solo, [lieOfWitness(() => old), honest])
    expect(await executor.call(call, before, never)).toEqual(asIs)
    expect(found).toHaveLength(1)
  })

  test('nodes or codes left out is completed by single proofs, and counted', async () => {
    for (const alter of [
      (witness: CallWitness) => ({ ...witness, codes: [] }),
      () => ({ nodes: [], codes: [] }),
    ]) {
      const { executor, calls } = await gatewayOver(solo, [lieOfWitness(alter)])
      expect(await executor.call(call, before, never)).toEqual(asIs)
      expect(calls.counts()).toEqual(new Map([['witness incomplete', 1]]))
    }
  })

  test('what another call reads is completed too', async () => {
    const { believing } = await gatewayOver(solo, [honest])
    const other = { request: { to: new Uint8Array(20).fill(0x77) } }
    const read = await believing.witness({ kind: 'call', call: other }, before, never)
    const { executor, calls } = await gatewayOver(solo, [lieOfWitness(() => read)])
    expect(await executor.call(call, before, never)).toEqual(asIs)
    expect(calls.counts().get('witness incomplete')).toBe(1)
  })
})

describe('a node that gives no witness', () => {
  test.each(['refused', 'unavailable', 'header not found', 'state pruned', 'anything'])(
    'because of %s: another one is asked, and the words are not those of the call',
    async (kind) => {
      const alone = await gatewayOver(solo, [lieOfFailure(kind)])
      await expect(alone.executor.call(call, before, never)).rejects.toMatchObject({
        kind: 'unavailable',
        message: expect.not.stringContaining('made up'),
      })
      expect(alone.calls.counts()).toEqual(new Map([['unproven', 1]]))
      const beside = await gatewayOver(solo, [lieOfFailure(kind), honest])
      expect(await beside.executor.call(call, before, never)).toEqual(asIs)
    },
  )

  test.each(['limit exceeded', 'unsupported'])('because of %s: single proofs are enough', async (kind) => {
    const { executor } = await gatewayOver(solo, [lieOfFailure(kind)])
    expect(await executor.call(call, before, never)).toEqual(asIs)
  })

  test('is asked for nothing more once the client has left', async () => {
    let asked = 0
    const leaving = new AbortController()
    const counting: Lie = (path, response) => {
      asked++
      leaving.abort()
      return lieOfFailure('unsupported')(path, response)
    }
    const { executor } = await gatewayOver(solo, [counting])
    await expect(executor.call(call, before, leaving.signal)).rejects.toMatchObject({ kind: 'unavailable' })
    expect(asked).toBeLessThan(3)
  })
})

test('control: a lie about the answer itself is believed where calls are not proven', async () => {
  const wrong: CallOutcome = { ...asIs, isSuccess: true, output: Uint8Array.of(0x66) }
  const liar: Lie = (path, response) =>
    path === perihelionQueries.call.path
      ? altered('call', response, () => encodeJson(callOutcome, wrong))
      : response
  const { executor, believing } = await gatewayOver(solo, [liar])
  expect((await believing.call(call, before, never)).output).toEqual(wrong.output)
  expect(await executor.call(call, before, never)).toEqual(asIs)
})
