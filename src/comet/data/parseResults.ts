import type { TextEvent } from '../../cosmos/results/textEvent.ts'
import {
  type JsonObject,
  parseBase64,
  parseHeight,
  parseInt64,
  parseList,
  parseObject,
  parseText,
  parseUint32,
} from './fields.ts'
import type { NativeBlockResults, NativeResult } from './nativeBlock.ts'
import { maxTransactions } from './parseBlock.ts'
import { areAttributesBase64, decodeEvents, parseEvents } from './parseEvents.ts'

const maxDataBytes = 100 * 1024 * 1024
const maxLogLength = 16 * 1024 * 1024
const maxCodespaceLength = 1_024
const maxAppHashBytes = 64

const optionalText = (value: unknown, where: string, maxLength: number): string =>
  value === null || value === undefined ? '' : parseText(value, where, maxLength)

export const parseResult = (value: unknown, index: number): NativeResult => {
  const where = `the result of transaction ${index}`
  const result = parseObject(value, where)
  return {
    code: parseUint32(result.code, `code of ${where}`),
    codespace: optionalText(result.codespace, `codespace of ${where}`, maxCodespaceLength),
    data: parseBase64(result.data, `data of ${where}`, maxDataBytes),
    log: optionalText(result.log, `log of ${where}`, maxLogLength),
    gasWanted: parseInt64(result.gas_wanted, `gas_wanted of ${where}`),
    gasUsed: parseInt64(result.gas_used, `gas_used of ${where}`),
    events: parseEvents(result.events, where),
  }
}

const nextMaxGasOf = (updates: unknown): bigint | undefined => {
  if (updates === null || updates === undefined) return undefined
  const { block } = parseObject(updates, 'consensus_param_updates')
  if (block === null || block === undefined) return undefined
  const { max_gas: maxGas } = parseObject(block, 'consensus_param_updates.block')
  return maxGas === undefined ? undefined : parseInt64(maxGas, 'consensus_param_updates.block.max_gas', -1n)
}

const appHashOf = (value: unknown): Uint8Array | undefined =>
  value === null || value === undefined ? undefined : parseBase64(value, 'app_hash', maxAppHashBytes)

/** Returns the events of a block, which come in two lists up to 0.37. */
const blockEventsOf = (fields: JsonObject): readonly TextEvent[] =>
  [fields.finalize_block_events, fields.begin_block_events, fields.end_block_events].flatMap((list) =>
    parseEvents(list, 'the block'),
  )

const decoded = (results: NativeBlockResults): NativeBlockResults => ({
  ...results,
  transactions: results.transactions.map((result) => ({ ...result, events: decodeEvents(result.events) })),
  events: decodeEvents(results.events),
})

const parseTransactions = (value: unknown): readonly NativeResult[] =>
  parseList(value, 'the results of transactions', maxTransactions).map(parseResult)

/** Parses the result of `block_results`. */
export const parseResults = (reply: unknown): NativeBlockResults =>
  assembleResults(reply, parseTransactions(parseObject(reply, 'block_results').txs_results))

/** Parses the result of `block_results`, whose transactions were parsed apart. */
export const assembleResults = (
  reply: unknown,
  transactions: readonly NativeResult[],
): NativeBlockResults => {
  const fields = parseObject(reply, 'block_results')
  const results: NativeBlockResults = {
    height: parseHeight(fields.height, 'height of block_results'),
    transactions,
    events: blockEventsOf(fields),
    nextMaxGas: nextMaxGasOf(fields.consensus_param_updates),
    appHash: appHashOf(fields.app_hash),
  }
  const isOld = fields.finalize_block_events === undefined
  return isOld && areAttributesBase64([results.events, ...results.transactions.map(({ events }) => events)])
    ? decoded(results)
    : results
}

/** Parses `result_finalize_block` of an event. */
export const parseFinalizeBlock = (value: unknown, height: number): NativeBlockResults => {
  const fields = parseObject(value, 'result_finalize_block')
  return {
    height,
    transactions: parseTransactions(fields.tx_results),
    events: parseEvents(fields.events, 'the block'),
    nextMaxGas: nextMaxGasOf(fields.consensus_param_updates),
    appHash: appHashOf(fields.app_hash),
  }
}
