import { decodeJson, encodeJson } from '../../../cosmos/queries/codec.ts'
import { perihelionQueries } from '../../../cosmos/queries/perihelionQueries.ts'
import {
  accessListOutcome,
  callManyOutcome,
  callManyRequest,
  callOutcome,
  callRequest,
  estimateOutcome,
  simulation,
  tracedCall,
  traceOptions,
} from '../../../cosmos/queries/requestCodecs.ts'
import { readBounded } from './boundedResponse.ts'
import { perihelionQuery, requireLength, resolveBlock } from './ownQuery.ts'
import { type QueryRoutes, toBlockRef } from './query.ts'

/** The queries for calls and traces. Each has the form of the port's method. */
export const perihelionExecutionQueries: QueryRoutes = [
  perihelionQuery(perihelionQueries.call, async ({ place: placeMessage, question: request }, context) => {
    const requestSchema = decodeJson(callRequest, request, 'question')
    const outcome = await context.chain.executor.call(
      requestSchema,
      toBlockRef(resolveBlock(placeMessage, context)),
      context.signal,
    )
    return { answer: encodeJson(callOutcome, outcome) }
  }),

  perihelionQuery(perihelionQueries.estimateGas, async ({ place, question }, scene) => {
    const asked = decodeJson(callRequest, question, 'question')
    const outcome = await scene.chain.executor.estimateGas(
      asked,
      toBlockRef(resolveBlock(place, scene)),
      scene.signal,
    )
    return { answer: encodeJson(estimateOutcome, outcome) }
  }),

  perihelionQuery(perihelionQueries.createAccessList, async ({ place, question }, scene) => {
    const asked = decodeJson(callRequest, question, 'question')
    const { executor } = scene.chain
    const outcome = await executor.createAccessList(
      asked,
      toBlockRef(resolveBlock(place, scene)),
      scene.signal,
    )
    return { answer: encodeJson(accessListOutcome, outcome) }
  }),

  perihelionQuery(perihelionQueries.callMany, async ({ place, question }, scene) => {
    const { bundles, stateOverrides } = decodeJson(callManyRequest, question, 'question')
    const outcomes = await scene.chain.executor.callMany(
      bundles,
      stateOverrides,
      toBlockRef(resolveBlock(place, scene)),
      place?.before,
      scene.signal,
    )
    return { answer: encodeJson(callManyOutcome, outcomes) }
  }),

  perihelionQuery(perihelionQueries.simulate, async ({ place, question }, scene) => {
    const asked = decodeJson(simulation, question, 'question')
    const { json, failure } = await scene.chain.executor.simulate(
      asked,
      toBlockRef(resolveBlock(place, scene)),
      scene.signal,
    )
    return failure === undefined ? { json } : { fault: failure.kind, message: failure.message }
  }),

  perihelionQuery(perihelionQueries.traceTransaction, async ({ hash, options }, { chain, signal }) => {
    const how = decodeJson(traceOptions, options, 'options')
    const text = await chain.traces.transaction(requireLength(hash, 32, 'hash'), how, signal)
    return { json: await readBounded(text) }
  }),

  perihelionQuery(perihelionQueries.traceBlock, async ({ place, options }, scene) => {
    const how = decodeJson(traceOptions, options, 'options')
    const text = await scene.chain.traces.block(toBlockRef(resolveBlock(place, scene)), how, scene.signal)
    return { json: await readBounded(text) }
  }),

  perihelionQuery(perihelionQueries.traceEncodedBlock, async ({ rlp, options }, { chain, signal }) => {
    const how = decodeJson(traceOptions, options, 'options')
    return { json: await readBounded(await chain.traces.encodedBlock(rlp, how, signal)) }
  }),

  perihelionQuery(perihelionQueries.traceCall, async ({ place, question, options }, scene) => {
    const asked = decodeJson(tracedCall, question, 'question')
    const how = decodeJson(traceOptions, options, 'options')
    const text = await scene.chain.traces.call(
      asked,
      toBlockRef(resolveBlock(place, scene)),
      how,
      scene.signal,
    )
    return { json: await readBounded(text) }
  }),

  perihelionQuery(perihelionQueries.intermediateRoots, async ({ place }, scene) => ({
    roots: [
      ...(await scene.chain.traces.intermediateRoots(toBlockRef(resolveBlock(place, scene)), scene.signal)),
    ],
  })),
]
