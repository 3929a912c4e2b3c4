import { decodeJson, encodeJson } from '../../../cosmos/queries/codec.ts'
import { perihelionQueries } from '../../../cosmos/queries/perihelionQueries.ts'
import {
  accessListOutcome,
  callOutcome,
  callQuestion,
  estimateOutcome,
  manyOutcome,
  manyQuestion,
  simulation,
  tracedCall,
  traceOptions,
} from '../../../cosmos/queries/questions.ts'
import { boundedText } from './boundedText.ts'
import { answerOwn, blockOf, ofLength } from './ownQuery.ts'
import { type Queries, refOf } from './query.ts'

/** Calls and traces, each as the port has it. */
export const ownExecutionQueries: Queries = [
  answerOwn(perihelionQueries.call, async ({ place, question }, scene) => {
    const asked = decodeJson(callQuestion, question, 'question')
    const outcome = await scene.chain.executor.call(asked, refOf(blockOf(place, scene)), scene.signal)
    return { answer: encodeJson(callOutcome, outcome) }
  }),

  answerOwn(perihelionQueries.estimateGas, async ({ place, question }, scene) => {
    const asked = decodeJson(callQuestion, question, 'question')
    const outcome = await scene.chain.executor.estimateGas(asked, refOf(blockOf(place, scene)), scene.signal)
    return { answer: encodeJson(estimateOutcome, outcome) }
  }),

  answerOwn(perihelionQueries.createAccessList, async ({ place, question }, scene) => {
    const asked = decodeJson(callQuestion, question, 'question')
    const { executor } = scene.chain
    const outcome = await executor.createAccessList(asked, refOf(blockOf(place, scene)), scene.signal)
    return { answer: encodeJson(accessListOutcome, outcome) }
  }),

  answerOwn(perihelionQueries.callMany, async ({ place, question }, scene) => {
    const { bundles, stateOverrides } = decodeJson(manyQuestion, question, 'question')
    const outcomes = await scene.chain.executor.callMany(
      bundles,
      stateOverrides,
      refOf(blockOf(place, scene)),
      place?.before,
      scene.signal,
    )
    return { answer: encodeJson(manyOutcome, outcomes) }
  }),

  answerOwn(perihelionQueries.simulate, async ({ place, question }, scene) => {
    const asked = decodeJson(simulation, question, 'question')
    const { json, failure } = await scene.chain.executor.simulate(
      asked,
      refOf(blockOf(place, scene)),
      scene.signal,
    )
    return failure === undefined ? { json } : { fault: failure.fault, message: failure.message }
  }),

  answerOwn(perihelionQueries.traceTransaction, async ({ hash, options }, { chain, signal }) => {
    const how = decodeJson(traceOptions, options, 'options')
    const text = await chain.traces.transaction(ofLength(hash, 32, 'hash'), how, signal)
    return { json: await boundedText(text) }
  }),

  answerOwn(perihelionQueries.traceBlock, async ({ place, options }, scene) => {
    const how = decodeJson(traceOptions, options, 'options')
    const text = await scene.chain.traces.block(refOf(blockOf(place, scene)), how, scene.signal)
    return { json: await boundedText(text) }
  }),

  answerOwn(perihelionQueries.traceEncodedBlock, async ({ rlp, options }, { chain, signal }) => {
    const how = decodeJson(traceOptions, options, 'options')
    return { json: await boundedText(await chain.traces.encodedBlock(rlp, how, signal)) }
  }),

  answerOwn(perihelionQueries.traceCall, async ({ place, question, options }, scene) => {
    const asked = decodeJson(tracedCall, question, 'question')
    const how = decodeJson(traceOptions, options, 'options')
    const text = await scene.chain.traces.call(asked, refOf(blockOf(place, scene)), how, scene.signal)
    return { json: await boundedText(text) }
  }),

  answerOwn(perihelionQueries.intermediateRoots, async ({ place }, scene) => ({
    roots: [...(await scene.chain.traces.intermediateRoots(refOf(blockOf(place, scene)), scene.signal))],
  })),
]
