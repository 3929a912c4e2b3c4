import { type JsonObject, parseObject, parseText } from './fields.ts'
import type { NativeBlock, NativeBlockResults } from './nativeBlock.ts'
import { parseBlockFields } from './parseBlock.ts'
import { parseHeader } from './parseHeader.ts'
import { parseFinalizeBlock } from './parseResults.ts'
import { UpstreamError } from './upstreamError.ts'

export interface NewBlock {
  readonly block: NativeBlock
  /** The results; undefined up to 0.37, where the event does not contain them. */
  readonly results: NativeBlockResults | undefined
}

const eventType = 'tendermint/event/NewBlock'
const headerEventType = 'tendermint/event/NewBlockHeader'

/** Returns the value of an event: `{query, data: {type, value}}`. */
const eventValue = (event: unknown, type: string): JsonObject => {
  const data = parseObject(parseObject(event, 'event').data, 'data of the event')
  if (parseText(data.type, 'type of the event', 100) !== type)
    throw new UpstreamError(`the event is not a ${type}`)
  return parseObject(data.value, 'value of the event')
}

/** Parses an event of a subscription to `tm.event='NewBlockHeader'`, which has no results, and returns its height. */
export const parseNewHeight = (event: unknown): number =>
  parseHeader(eventValue(event, headerEventType).header).height

/** Parses an event of a subscription to `tm.event='NewBlock'`. */
export const parseNewBlock = (event: unknown): NewBlock => {
  const value = eventValue(event, eventType)
  const block = parseBlockFields(value.block, value.block_id)
  const finalized = value.result_finalize_block
  return {
    block,
    results:
      finalized === undefined || finalized === null
        ? undefined
        : parseFinalizeBlock(finalized, block.header.height),
  }
}
