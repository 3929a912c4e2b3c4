import { create, toBinary } from '@bufbuild/protobuf'
import type { Header } from '../../../src/chain/block/header.ts'
import type { BlockRef } from '../../../src/chain/port/blockRef.ts'
import type { CallWitness, Executor } from '../../../src/chain/port/executor.ts'
import { parseCommitReply } from '../../../src/comet/data/commit.ts'
import { type NativeQueryClient, NativeQueryError } from '../../../src/comet/data/nativeQuery.ts'
import { ProvenLie } from '../../../src/comet/data/provenLie.ts'
import { AnswerSchema } from '../../../src/cosmos/gen/perihelion/v1/query_pb.ts'
import { decodeJson, encodeJson } from '../../../src/cosmos/queries/codec.ts'
import { perihelionQueries } from '../../../src/cosmos/queries/perihelionQueries.ts'
import { callWitness } from '../../../src/cosmos/queries/requestCodecs.ts'
import { createEvm } from '../../../src/evm/evm.ts'
import { loadEvmModules } from '../../../src/evm/host/evmModules.ts'
import { precompilesAt } from '../../../src/evm/precompiles/precompileTable.ts'
import { createPerihelionExecutor } from '../../../src/families/perihelion/perihelionExecutor.ts'
import { decodeAnswer } from '../../../src/families/perihelion/perihelionQueries.ts'
import { createPerihelionState } from '../../../src/families/perihelion/perihelionStateView.ts'
import { perihelionStateRules } from '../../../src/families/perihelion/trieRules.ts'
import { trieProofs } from '../../../src/families/perihelion.ts'
import { ProvenCalls } from '../../../src/gateway/calls/provenCalls.ts'
import { createProvenExecutor } from '../../../src/gateway/calls/provenExecutor.ts'
import { createQuestionService } from '../../../src/gateway/calls/questionService.ts'
import { createThreadLog } from '../../../src/gateway/follow/threadLog.ts'
import { type ProvingNode, StateProofs } from '../../../src/light/state/stateProofs.ts'
import { SyntheticChain } from '../replay/synthetic.ts'
import { handlerOf, inProcessQueries } from './inProcess.ts'
import type { SoloChain } from './soloChain.ts'

/** A gateway's way to a call over nodes in this process, some of which lie. */

export const gasCap = 50_000_000n
const never = new AbortController().signal

/** What a node tells in place of the response to a query. */
export type Lie = (path: string, response: Uint8Array) => Uint8Array | Promise<Uint8Array>

/** Alters the answer within a response of a query. */
export const altered = (
  name: 'call' | 'callWitness',
  response: Uint8Array,
  alter: (answer: Uint8Array) => Uint8Array,
): Uint8Array => {
  const { response: schema } = perihelionQueries[name]
  const told = decodeAnswer(schema, response)
  if (told === undefined || told.failure) throw new Error('the node has no answer')
  const value = toBinary(schema, create(schema, { answer: alter(told.value.answer) }))
  return toBinary(AnswerSchema, create(AnswerSchema, { outcome: { case: 'value', value } }))
}

/** A node that gives other witnesses. */
export const lieOfWitness =
  (alter: (witness: CallWitness) => CallWitness): Lie =>
  (path, response) =>
    path === perihelionQueries.callWitness.path
      ? altered('callWitness', response, (answer) =>
          encodeJson(callWitness, alter(decodeJson(callWitness, answer, 'answer'))),
        )
      : response

/** A node that says why it gives no witness. */
export const lieOfFailure =
  (kind: string): Lie =>
  (path, response) =>
    path === perihelionQueries.callWitness.path
      ? toBinary(
          AnswerSchema,
          create(AnswerSchema, { outcome: { case: 'failure', value: { kind, message: 'made up' } } }),
        )
      : response

/** The header of a block with its signatures, as a node tells it: of any chain. */
const signed = parseCommitReply(
  JSON.parse(new SyntheticChain({ family: 'perihelion', length: 2 }).commit(2) ?? ''),
)

export interface GatewayOverNodes {
  /** Executes here what can be proven. */
  readonly executor: Executor
  /** Asks nodes alone, as with `verify-state = true`. */
  readonly believing: Executor
  readonly lies: readonly string[]
  readonly calls: ProvenCalls
}

/** Returns a gateway in front of nodes, the first of which is asked first. */
export const gatewayOver = async (
  { node: { chain } }: SoloChain,
  nodes: readonly Lie[],
  inlineGas = 10_000_000n,
): Promise<GatewayOverNodes> => {
  const honest = inProcessQueries(handlerOf(chain))
  const head = chain.head().number
  const hashAt = (height: number): Uint8Array | undefined => chain.blocks.hash(height)
  const header = (height: number): Header | undefined => chain.blocks.header(height)
  const lies: string[] = []
  const proofs = new StateProofs({
    rules: perihelionStateRules({ header }),
    kind: trieProofs,
    highest: () => head - 1,
    committed: (height) => ({ appHash: hashAt(height) as Uint8Array, hash: undefined }),
    log: createThreadLog(() => undefined),
  })
  const provingNode = (at: number): ProvingNode => ({
    name: 'node',
    prove: (store, key, height) => honest.prove(store, key, height, never),
    signedHeader: async () => ({
      ...signed,
      header: { ...signed.header, appHash: hashAt(at) as Uint8Array },
    }),
  })
  const queries: NativeQueryClient = {
    ...honest,
    query: async (path, request, height, signal, isReadable) => {
      for (const lie of nodes) {
        const answer = honest.query(path, request, height, signal).then((response) => lie(path, response))
        try {
          if (height !== undefined) await proofs.check({ path, request, height }, provingNode(height), answer)
          const response = await answer
          if (isReadable?.(response) !== false) return response
        } catch (error) {
          if (error instanceof ProvenLie) lies.push(error.message)
          else if (!(error instanceof NativeQueryError) || error.kind !== 'unavailable') throw error
        }
      }
      throw new NativeQueryError('unavailable', 'no node has an answer')
    },
  }
  const resolve = (ref: BlockRef) => chain.blocks.resolve(ref)
  const believing = createPerihelionExecutor({ queries, resolve, timeoutMs: 120_000 })
  const modules = await loadEvmModules()
  const cancelled = new Int32Array(new SharedArrayBuffer(4))
  const service = createQuestionService({ gasCap, modules, niceness: 0, cancelled })
  const calls = new ProvenCalls(
    { gasCap, timeoutMs: 120_000, inline: { gas: inlineGas, milliseconds: 60_000 } },
    {
      evm: createEvm(modules, precompilesAt),
      config: chain.config,
      header,
      hashAt,
      witness: async (question, height, signal) =>
        believing.witness(question, { kind: 'number', number: BigInt(height) }, signal),
      stateAt: (height) => createPerihelionState(queries)({ block: height }, () => never),
      runElsewhere: async (task) => service.run(structuredClone(task), 120_000),
    },
  )
  const executor = createProvenExecutor({
    base: believing,
    calls,
    resolve,
    headNumber: () => head,
    isProvable: (height) => proofs.isProvable(height),
  })
  return { executor, believing, lies, calls }
}
