import { headerNotFound, unavailable } from '../../chain/chainError.ts'
import type { BlockRef } from '../../chain/port/blockRef.ts'
import type {
  AccessListOutcome,
  CallBundle,
  CallOutcome,
  CallRequest,
  EstimateOutcome,
  Executor,
} from '../../chain/port/executor.ts'
import type { TransactionLocation } from '../../chain/port/location.ts'
import type { StateView } from '../../chain/port/state.ts'
import { noTransactionInGenesis, pendingStatesNotServed } from '../../chain/state/callErrors.ts'
import type { AccountOverride } from '../../chain/state/overrides.ts'
import type { Simulation, SimulationErrorKind, SimulationOutcome } from '../../chain/state/simulation.ts'
import { type Codec, CodecError, decodeJson, encodeJson } from '../../cosmos/queries/codec.ts'
import { perihelionQueries } from '../../cosmos/queries/perihelionQueries.ts'
import {
  accessListOutcome,
  callManyOutcome,
  callManyRequest,
  callOutcome,
  callRequest,
  estimateOutcome,
  simulation as simulationCodec,
} from '../../cosmos/queries/requestCodecs.ts'
import type { NativeQueryClient } from '../client/nativeQueryClient.ts'
import { queryPerihelionNode, requiredHeight, type StateLocation, toPlaceMessage } from './client.ts'
import { createPerihelionState } from './state.ts'

export interface PerihelionExecutorDependencies {
  readonly queries: NativeQueryClient
  /** Where a block stands, of those that the gateway serves. */
  readonly resolve: (ref: BlockRef) => number | 'pending' | undefined
}

type ExecuteQuery =
  | typeof perihelionQueries.call
  | typeof perihelionQueries.estimateGas
  | typeof perihelionQueries.createAccessList
  | typeof perihelionQueries.callMany

/** Runs calls on a Perihelion node. What comes next is not known here: `pending` is what the node's newest state is. */
export const createPerihelionExecutor = ({ queries, resolve }: PerihelionExecutorDependencies): Executor => {
  const locationOf = (at: BlockRef, before?: number): StateLocation => {
    const block = resolve(at)
    if (block === undefined) throw headerNotFound()
    if (block !== 'pending') return { block, before }
    if (before === undefined) return { block: undefined }
    throw pendingStatesNotServed()
  }

  const ask = async <Question, Outcome>(
    query: ExecuteQuery,
    [questions, question]: readonly [Codec<Question>, Question],
    outcomes: Codec<Outcome>,
    location: StateLocation,
    signal: AbortSignal,
  ): Promise<Outcome> => {
    const request = { place: toPlaceMessage(location), question: encodeJson(questions, question) }
    const { answer } = await queryPerihelionNode(queries, query, request, requiredHeight(location), signal)
    return decodeOutcome(outcomes, answer)
  }

  return {
    call: async (executeRequest: CallRequest, at, signal): Promise<CallOutcome> =>
      ask(perihelionQueries.call, [callRequest, executeRequest], callOutcome, locationOf(at), signal),

    estimateGas: async (question: CallRequest, at, signal): Promise<EstimateOutcome> =>
      ask(perihelionQueries.estimateGas, [callRequest, question], estimateOutcome, locationOf(at), signal),

    createAccessList: async (question: CallRequest, at, signal): Promise<AccessListOutcome> =>
      ask(
        perihelionQueries.createAccessList,
        [callRequest, question],
        accessListOutcome,
        locationOf(at),
        signal,
      ),

    callMany: async (
      bundles: readonly CallBundle[],
      stateOverrides: readonly AccountOverride[] | undefined,
      at,
      before,
      signal,
    ) =>
      ask(
        perihelionQueries.callMany,
        [callManyRequest, { bundles, stateOverrides }],
        callManyOutcome,
        locationOf(at, before),
        signal,
      ),

    simulate: async (simulation: Simulation, at, signal): Promise<SimulationOutcome> => {
      const place = locationOf(at)
      const request = { place: toPlaceMessage(place), question: encodeJson(simulationCodec, simulation) }
      const answer = await queryPerihelionNode(
        queries,
        perihelionQueries.simulate,
        request,
        requiredHeight(place),
        signal,
      )
      if (answer.fault === '') return { json: answer.json, failure: undefined }
      return { json: undefined, failure: { kind: parseErrorKind(answer.fault), message: answer.message } }
    },

    stateBefore: ({ number, index }: TransactionLocation, signal): StateView => {
      if (number === 0) throw noTransactionInGenesis()
      return createPerihelionState(queries)({ block: number, before: index }, signal)
    },
  }
}

const decodeOutcome = <Outcome>(codec: Codec<Outcome>, answer: Uint8Array): Outcome => {
  try {
    return decodeJson(codec, answer, 'answer')
  } catch (error) {
    if (error instanceof CodecError) throw unavailable(`the node gave what is no answer: ${error.message}`)
    throw error
  }
}

const errorKinds: Readonly<Record<SimulationErrorKind, true>> = {
  'nonce too low': true,
  'nonce too high': true,
  'fee cap too low': true,
  'intrinsic gas too low': true,
  'insufficient funds': true,
  'block gas limit': true,
  'block number': true,
  'block timestamp': true,
  'init code size': true,
  'too many blocks': true,
  'answer too large': true,
  'invalid transaction': true,
  other: true,
}

const parseErrorKind = (text: string): SimulationErrorKind =>
  Object.hasOwn(errorKinds, text) ? (text as SimulationErrorKind) : 'other' // one of its names
