import type { Log } from '../../chain/block/receiptLog.ts'
import { parseLog, ResultError } from './eventLogs.ts'
import type { TextEvent } from './textEvent.ts'

/** The fields have the meaning that they have in `MessageOutcome`. */
interface EventOutcome {
  readonly hash: string
  readonly vmError: string
  readonly gasUsed: bigint
  readonly logs: Log[]
}

const attributeOf = ({ attributes }: TextEvent, name: string): string | undefined =>
  attributes.find(({ key }) => key === name)?.value

const gasOf = (text: string): bigint => {
  if (!/^[0-9]{1,20}$/.test(text)) throw new ResultError('txGasUsed of an event is not a number')
  return BigInt(text)
}

/**
 * Decodes the outcomes of a transaction's Ethereum messages from its events, in their order. Only an event with gas is
 * that of a message; one without is from the ante handler, whose hash was wrong in some versions, and adds nothing. Up
 * to cosmos/evm 0.4 the `tx_log` event of a message follows it.
 */
export const decodeEventOutcomes = (events: readonly TextEvent[]): readonly EventOutcome[] => {
  const outcomes: EventOutcome[] = []
  for (const event of events) {
    const gas = event.type === 'ethereum_tx' ? attributeOf(event, 'txGasUsed') : undefined
    if (gas !== undefined)
      outcomes.push({
        hash: attributeOf(event, 'ethereumTxHash') ?? '',
        vmError: attributeOf(event, 'ethereumTxFailed') ?? '',
        gasUsed: gasOf(gas),
        logs: [],
      })
    if (event.type === 'tx_log')
      for (const { key, value } of event.attributes)
        if (key === 'txLog') outcomes.at(-1)?.logs.push(parseLog(value))
  }
  return outcomes
}
