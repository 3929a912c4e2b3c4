import { decodeJson, encodeJson } from '../../../cosmos/queries/codec.ts'
import { perihelionQueries } from '../../../cosmos/queries/perihelionQueries.ts'
import {
  accessListOutcome,
  callManyOutcome,
  callManyRequest,
  callOutcome,
  callRequest,
  callWitness,
  estimateOutcome,
  simulation,
  tracedCall,
  traceOptions,
  witnessQuestion,
} from '../../../cosmos/queries/requestCodecs.ts'
import { readBounded } from './boundedResponse.ts'
import { perihelionQuery, requireLength, resolveBlock } from './perihelionQuery.ts'
import { type QueryRoutes, toBlockRef } from './query.ts'

/** The queries for calls and traces. Each has the form of the port's method. */
export const perihelionExecutionQueries: QueryRoutes = [
  perihelionQuery(perihelionQueries.call, async ({ place: location, question }, context) => {
    const request = decodeJson(callRequest, question, 'question')
    const outcome = await context.chain.executor.call(
      request,
      toBlockRef(resolveBlock(location, context)),
      context.signal,
    )
    return { answer: encodeJson(callOutcome, outcome) }
  }),

  perihelionQuery(perihelionQueries.estimateGas, async ({ place: location, question }, context) => {
    const request = decodeJson(callRequest, question, 'question')
    const outcome = await context.chain.executor.estimateGas(
      request,
      toBlockRef(resolveBlock(location, context)),
      context.signal,
    )
    return { answer: encodeJson(estimateOutcome, outcome) }
  }),

  perihelionQuery(perihelionQueries.createAccessList, async ({ place: location, question }, context) => {
    const request = decodeJson(callRequest, question, 'question')
    const { executor } = context.chain
    const outcome = await executor.createAccessList(
      request,
      toBlockRef(resolveBlock(location, context)),
      context.signal,
    )
    return { answer: encodeJson(accessListOutcome, outcome) }
  }),

  perihelionQuery(perihelionQueries.callMany, async ({ place: location, question }, context) => {
    const { bundles, stateOverrides } = decodeJson(callManyRequest, question, 'question')
    const outcomes = await context.chain.executor.callMany(
      bundles,
      stateOverrides,
      toBlockRef(resolveBlock(location, context)),
      location?.before,
      context.signal,
    )
    return { answer: encodeJson(callManyOutcome, outcomes) }
  }),

  perihelionQuery(perihelionQueries.simulate, async ({ place: location, question }, context) => {
    const request = decodeJson(simulation, question, 'question')
    const { json, failure } = await context.chain.executor.simulate(
      request,
      toBlockRef(resolveBlock(location, context)),
      context.signal,
    )
    return failure === undefined ? { json } : { fault: failure.kind, message: failure.message }
  }),

  perihelionQuery(perihelionQueries.callWitness, async ({ place: location, question }, context) => {
    const wanted = decodeJson(witnessQuestion, question, 'question')
    const at = toBlockRef(resolveBlock(location, context))
    const witness = await context.chain.executor.witness(wanted, at, context.signal)
    return { answer: encodeJson(callWitness, witness) }
  }),

  perihelionQuery(perihelionQueries.traceTransaction, async ({ hash, options }, { chain, signal }) => {
    const tracing = decodeJson(traceOptions, options, 'options')
    const text = await chain.traces.transaction(requireLength(hash, 32, 'hash'), tracing, signal)
    return { json: await readBounded(text) }
  }),

  perihelionQuery(perihelionQueries.traceBlock, async ({ place: location, options }, context) => {
    const tracing = decodeJson(traceOptions, options, 'options')
    const text = await context.chain.traces.block(
      toBlockRef(resolveBlock(location, context)),
      tracing,
      context.signal,
    )
    return { json: await readBounded(text) }
  }),

  perihelionQuery(perihelionQueries.traceEncodedBlock, async ({ rlp, options }, { chain, signal }) => {
    const tracing = decodeJson(traceOptions, options, 'options')
    return { json: await readBounded(await chain.traces.encodedBlock(rlp, tracing, signal)) }
  }),

  perihelionQuery(perihelionQueries.traceCall, async ({ place: location, question, options }, context) => {
    const request = decodeJson(tracedCall, question, 'question')
    const tracing = decodeJson(traceOptions, options, 'options')
    const text = await context.chain.traces.call(
      request,
      toBlockRef(resolveBlock(location, context)),
      tracing,
      context.signal,
    )
    return { json: await readBounded(text) }
  }),

  perihelionQuery(perihelionQueries.intermediateRoots, async ({ place: location }, context) => ({
    roots: [
      ...(await context.chain.traces.intermediateRoots(
        toBlockRef(resolveBlock(location, context)),
        context.signal,
      )),
    ],
  })),

  perihelionQuery(perihelionQueries.executionWitness, async ({ place: location }, context) => {
    const at = toBlockRef(resolveBlock(location, context))
    return { json: await readBounded(await context.chain.traces.witness(at, context.signal)) }
  }),
]
