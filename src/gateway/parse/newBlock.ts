import { parseBlockFields } from './block.ts'
import { parseObject, parseText } from './json.ts'
import type { NativeBlock, NativeBlockResults } from './native.ts'
import { parseFinalizeBlock } from './results.ts'
import { UpstreamError } from './upstreamError.ts'

export interface NewBlock {
  readonly block: NativeBlock
  /** The results; undefined up to 0.37, where the event does not contain them. */
  readonly results: NativeBlockResults | undefined
}

const eventType = 'tendermint/event/NewBlock'

/** Parses an event of a subscription to `tm.event='NewBlock'`: `{query, data: {type, value}}`. */
export const parseNewBlock = (event: unknown): NewBlock => {
  const data = parseObject(parseObject(event, 'event').data, 'data of the event')
  if (parseText(data.type, 'type of the event', 100) !== eventType)
    throw new UpstreamError(`the event is not a ${eventType}`)
  const value = parseObject(data.value, 'value of the event')
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
