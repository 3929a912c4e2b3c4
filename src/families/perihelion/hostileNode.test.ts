import { create, toBinary } from '@bufbuild/protobuf'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { ChainError } from '../../chain/chainError.ts'
import type { BlockRef } from '../../chain/port/blockRef.ts'
import { defaultTraceOptions } from '../../chain/port/traces.ts'
import {
  type NativeQueryClient,
  NativeQueryError,
  type NativeQueryErrorKind,
} from '../../comet/data/nativeQuery.ts'
import { AnswerSchema } from '../../cosmos/gen/perihelion/v1/query_pb.ts'
import { createPerihelionValidators, watchPerihelionStatus } from './networkStatus.ts'
import { createPerihelionExecutor } from './perihelionExecutor.ts'
import { createPerihelionState } from './perihelionStateView.ts'
import { createPerihelionTraces } from './perihelionTraces.ts'

const signal = new AbortController().signal
const latest: BlockRef = { kind: 'tag', tag: 'latest' }
const address = new Uint8Array(20)
const word = new Uint8Array(32)
/** Returns a call for everything that is queried from a node. */
const callsOf = (queries: NativeQueryClient): readonly (() => unknown)[] => {
  const resolve = () => 5
  const state = createPerihelionState(queries)({ block: 5 }, () => signal)
  const executor = createPerihelionExecutor({ queries, resolve, timeoutMs: 60_000 })
  const traces = createPerihelionTraces({ queries, resolve, locate: () => ({ number: 5, index: 0 }) })
  const validators = createPerihelionValidators(queries, 10_000)
  const request = { request: {} }
  const simulation = { blocks: [], traceTransfers: false, validation: false, returnFullTransactions: false }
  return [
    () => state.balance(address),
    () => state.code(address),
    () => state.storage(address, word),
    () => state.prove(address, [word, word]),
    () => state.accounts(word, 10),
    () => state.slots(address, word, 10),
    () => executor.call(request, latest, signal),
    () => executor.estimateGas(request, latest, signal),
    () => executor.createAccessList(request, latest, signal),
    () => executor.callMany([], undefined, latest, undefined, signal),
    () => executor.simulate(simulation, latest, signal),
    () => traces.transaction(word, defaultTraceOptions, signal),
    () => traces.block(latest, defaultTraceOptions, signal),
    () => traces.encodedBlock(word, defaultTraceOptions, signal),
    () => traces.call(request, latest, defaultTraceOptions, signal),
    () => traces.intermediateRoots(latest, signal),
    () => traces.witness(latest, signal),
    () => validators.validators(5),
    () => validators.validatorSet(5),
    () => validators.proposal(5),
    () => watchPerihelionStatus(queries, 10_000, signal),
  ]
}

const errorOf = async (ask: () => unknown): Promise<unknown> => {
  try {
    await ask()
    return undefined
  } catch (error) {
    return error
  }
}

const answering = (answer: () => Promise<Uint8Array>): NativeQueryClient => ({
  query: answer,
  prove: async () => {
    throw new Error('nothing is proven here')
  },
})

describe('a node that answers anything', () => {
  const wrapped = (value: Uint8Array): Uint8Array =>
    toBinary(AnswerSchema, create(AnswerSchema, { outcome: { case: 'value', value } }))
  const failed = ([kind, message]: readonly [string, string]): Uint8Array =>
    toBinary(AnswerSchema, create(AnswerSchema, { outcome: { case: 'failure', value: { kind, message } } }))

  test('gets nothing but a response or an error of the port out of the gateway', async () => {
    const bytes = fc.uint8Array({ maxLength: 80 })
    const answers = fc.oneof(
      bytes,
      bytes.map(wrapped),
      fc.tuple(fc.string(), fc.string()).map(failed),
      fc
        .json()
        .map((text) => wrapped(Buffer.concat([Uint8Array.of(0x0a, text.length & 0x7f), Buffer.from(text)]))),
    )
    await fc.assert(
      fc.asyncProperty(answers, async (answer) => {
        for (const ask of callsOf(answering(async () => answer))) {
          const error = await errorOf(ask)
          if (error !== undefined) expect(error).toBeInstanceOf(ChainError)
        }
      }),
      { numRuns: 300 },
    )
  })

  test('and whatever goes wrong on the way is an error of the port', async () => {
    const kinds: Readonly<Record<NativeQueryErrorKind, string>> = {
      'unknown path': 'unsupported',
      pruned: 'state pruned',
      'future height': 'unavailable',
      refused: 'unavailable',
      unavailable: 'unavailable',
    }
    for (const [queryKind, kind] of Object.entries(kinds))
      for (const ask of callsOf(
        answering(async () => {
          throw new NativeQueryError(
            queryKind as NativeQueryErrorKind,
            'failed to load state at height 5; gone (latest height: 9)',
          )
        }),
      ))
        expect(await errorOf(ask)).toMatchObject({
          kind,
          // Why no node answers is for the log: it names addresses.
          message: expect.stringContaining(queryKind === 'unavailable' ? 'none of its nodes' : 'gone'),
        })
  })
})
