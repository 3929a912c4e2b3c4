import { parseBlockParts } from './block.ts'
import { objectOf, textOf } from './json.ts'
import type { NativeBlock, NativeResults } from './native.ts'
import { parseFinalized } from './results.ts'
import { UpstreamFault } from './upstreamFault.ts'

export interface NewBlock {
  readonly block: NativeBlock
  /** Undefined up to 0.37, where the event does not tell what the transactions did. */
  readonly results: NativeResults | undefined
}

const eventType = 'tendermint/event/NewBlock'

/** The result that a subscription to `tm.event='NewBlock'` delivers: `{query, data: {type, value}}`. */
export const parseNewBlock = (event: unknown): NewBlock => {
  const data = objectOf(objectOf(event, 'event').data, 'data of the event')
  if (textOf(data.type, 'type of the event', 100) !== eventType)
    throw new UpstreamFault(`the event is not a ${eventType}`)
  const value = objectOf(data.value, 'value of the event')
  const block = parseBlockParts(value.block, value.block_id)
  const finalized = value.result_finalize_block
  return {
    block,
    results:
      finalized === undefined || finalized === null
        ? undefined
        : parseFinalized(finalized, block.header.height),
  }
}
