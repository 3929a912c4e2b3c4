import { signalOf } from '../../base/async/waiter.ts'
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
import type { NativeQueryClient } from '../../comet/data/nativeQuery.ts'
import type { ExecuteResponse } from '../../cosmos/gen/perihelion/v1/query_pb.ts'
import { type Codec, CodecError, decodeJson, encodeJson } from '../../cosmos/queries/codec.ts'
import { perihelionQueries } from '../../cosmos/queries/perihelionQueries.ts'
import {
  accessListOutcome,
  callManyOutcome,
  callManyRequest,
  callOutcome,
  callRequest,
  callWitness,
  estimateOutcome,
  simulation as simulationCodec,
  witnessQuestion,
} from '../../cosmos/queries/requestCodecs.ts'
import { withCallTimeout } from '../execute/executionContext.ts'
import {
  queryPerihelionNode,
  requiredHeight,
  type StateLocation,
  toPlaceMessage,
} from './perihelionQueries.ts'
import { createPerihelionState } from './perihelionStateView.ts'

export interface PerihelionExecutorDependencies {
  readonly queries: NativeQueryClient
  /** Resolves a block reference among the blocks that the gateway serves. */
  readonly resolve: (ref: BlockRef) => number | 'pending' | undefined
  /** The longest time for one call: a node may take longer, or not answer. */
  readonly timeoutMs: number
}

type ExecuteQuery =
  | typeof perihelionQueries.call
  | typeof perihelionQueries.estimateGas
  | typeof perihelionQueries.createAccessList
  | typeof perihelionQueries.callMany
  | typeof perihelionQueries.callWitness

/**
 * Creates an executor that runs calls on a Perihelion node. The gateway builds no pending block, so `pending` is the
 * newest state of the node.
 */
export const createPerihelionExecutor = ({
  queries,
  resolve,
  timeoutMs,
}: PerihelionExecutorDependencies): Executor => {
  const locationOf = (at: BlockRef, before?: number): StateLocation => {
    const block = resolve(at)
    if (block === undefined) throw headerNotFound()
    if (block !== 'pending') return { block, before }
    if (before === undefined) return { block: undefined }
    throw pendingStatesNotServed()
  }

  const execute = async <Request, Outcome>(
    query: ExecuteQuery,
    [codec, value]: readonly [Codec<Request>, Request],
    outcomes: Codec<Outcome>,
    location: StateLocation,
    signal: AbortSignal,
  ): Promise<Outcome> => {
    const request = { place: toPlaceMessage(location), question: encodeJson(codec, value) }
    const height = requiredHeight(location)
    const isWhole = (response: ExecuteResponse) => readOutcome(outcomes, response.answer) !== undefined
    const { answer } = await withCallTimeout(timeoutMs, signal, (limited) =>
      queryPerihelionNode(queries, query, request, height, limited, isWhole),
    )
    const outcome = readOutcome(outcomes, answer)
    if (outcome === undefined) throw unavailable('the node returned an invalid call outcome')
    return outcome
  }

  return {
    call: async (request: CallRequest, at, waiter): Promise<CallOutcome> =>
      execute(perihelionQueries.call, [callRequest, request], callOutcome, locationOf(at), signalOf(waiter)),

    estimateGas: async (request: CallRequest, at, waiter): Promise<EstimateOutcome> =>
      execute(
        perihelionQueries.estimateGas,
        [callRequest, request],
        estimateOutcome,
        locationOf(at),
        signalOf(waiter),
      ),

    createAccessList: async (request: CallRequest, at, signal): Promise<AccessListOutcome> =>
      execute(
        perihelionQueries.createAccessList,
        [callRequest, request],
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
      execute(
        perihelionQueries.callMany,
        [callManyRequest, { bundles, stateOverrides }],
        callManyOutcome,
        locationOf(at, before),
        signal,
      ),

    simulate: async (simulation: Simulation, at, signal): Promise<SimulationOutcome> => {
      const location = locationOf(at)
      const request = { place: toPlaceMessage(location), question: encodeJson(simulationCodec, simulation) }
      const height = requiredHeight(location)
      const answer = await withCallTimeout(timeoutMs, signal, (limited) =>
        queryPerihelionNode(queries, perihelionQueries.simulate, request, height, limited),
      )
      if (answer.fault === '') return { json: answer.json, failure: undefined }
      return { json: undefined, failure: { kind: parseErrorKind(answer.fault), message: answer.message } }
    },

    witness: async (question, at, signal) =>
      execute(
        perihelionQueries.callWitness,
        [witnessQuestion, question],
        callWitness,
        locationOf(at),
        signal,
      ),

    stateBefore: ({ number, index }: TransactionLocation, signal): StateView => {
      if (number === 0) throw noTransactionInGenesis()
      return createPerihelionState(queries)({ block: number, before: index }, () => signal)
    },
  }
}

const readOutcome = <Outcome>(codec: Codec<Outcome>, answer: Uint8Array): Outcome | undefined => {
  try {
    return decodeJson(codec, answer, 'answer')
  } catch (error) {
    if (error instanceof CodecError) return undefined
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
  Object.hasOwn(errorKinds, text) ? (text as SimulationErrorKind) : 'other' // one of the kinds, as checked above
