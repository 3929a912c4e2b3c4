import type { Log } from '../../chain/block/log.ts'
import { parseLog, ResultError } from './logs.ts'
import type { TextEvent } from './textEvent.ts'

/** As an `Outcome` has it. */
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
 * What events tell of the Ethereum messages of a transaction, in their order. Only the event of a message tells its gas;
 * one without it is of the ante handler, whose hash was wrong in some versions, and says nothing new. A message's
 * `tx_log` comes after it, up to cosmos/evm 0.4.
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
