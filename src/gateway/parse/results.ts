import type { TextEvent } from '../../cosmos/results/textEvent.ts'
import { maxTransactions } from './block.ts'
import { areEncoded, decodeEvents, parseEvents } from './events.ts'
import { base64Of, heightOf, int64Of, type JsonObject, listOf, objectOf, textOf, uint32Of } from './json.ts'
import type { NativeResult, NativeResults } from './native.ts'

const maxDataBytes = 100 * 1024 * 1024
const maxLogLength = 16 * 1024 * 1024
const maxCodespaceLength = 1_024
const maxAppHashBytes = 64

const optionalText = (value: unknown, where: string, maxLength: number): string =>
  value === null || value === undefined ? '' : textOf(value, where, maxLength)

const parseResult = (value: unknown, index: number): NativeResult => {
  const where = `the result of transaction ${index}`
  const result = objectOf(value, where)
  return {
    code: uint32Of(result.code, `code of ${where}`),
    codespace: optionalText(result.codespace, `codespace of ${where}`, maxCodespaceLength),
    data: base64Of(result.data, `data of ${where}`, maxDataBytes),
    log: optionalText(result.log, `log of ${where}`, maxLogLength),
    gasWanted: int64Of(result.gas_wanted, `gas_wanted of ${where}`),
    gasUsed: int64Of(result.gas_used, `gas_used of ${where}`),
    events: parseEvents(result.events, where),
  }
}

const nextMaxGasOf = (updates: unknown): bigint | undefined => {
  if (updates === null || updates === undefined) return undefined
  const { block } = objectOf(updates, 'consensus_param_updates')
  if (block === null || block === undefined) return undefined
  const { max_gas: maxGas } = objectOf(block, 'consensus_param_updates.block')
  return maxGas === undefined ? undefined : int64Of(maxGas, 'consensus_param_updates.block.max_gas', -1n)
}

const appHashOf = (value: unknown): Uint8Array | undefined =>
  value === null || value === undefined ? undefined : base64Of(value, 'app_hash', maxAppHashBytes)

/** Up to 0.37 a block's own events come in two lists. */
const blockEventsOf = (fields: JsonObject): readonly TextEvent[] =>
  [fields.finalize_block_events, fields.begin_block_events, fields.end_block_events].flatMap((list) =>
    parseEvents(list, 'the block'),
  )

const decoded = (results: NativeResults): NativeResults => ({
  ...results,
  transactions: results.transactions.map((result) => ({ ...result, events: decodeEvents(result.events) })),
  events: decodeEvents(results.events),
})

const parseTransactions = (value: unknown): readonly NativeResult[] =>
  listOf(value, 'the results of transactions', maxTransactions).map(parseResult)

/** The result of `block_results`. */
export const parseResults = (reply: unknown): NativeResults => {
  const fields = objectOf(reply, 'block_results')
  const results: NativeResults = {
    height: heightOf(fields.height, 'height of block_results'),
    transactions: parseTransactions(fields.txs_results),
    events: blockEventsOf(fields),
    nextMaxGas: nextMaxGasOf(fields.consensus_param_updates),
    appHash: appHashOf(fields.app_hash),
  }
  const isOld = fields.finalize_block_events === undefined
  return isOld && areEncoded([results.events, ...results.transactions.map(({ events }) => events)])
    ? decoded(results)
    : results
}

/** `result_finalize_block` of an event. */
export const parseFinalized = (value: unknown, height: number): NativeResults => {
  const fields = objectOf(value, 'result_finalize_block')
  return {
    height,
    transactions: parseTransactions(fields.tx_results),
    events: parseEvents(fields.events, 'the block'),
    nextMaxGas: nextMaxGasOf(fields.consensus_param_updates),
    appHash: appHashOf(fields.app_hash),
  }
}
