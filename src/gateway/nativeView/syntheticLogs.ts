import { keccak256 } from '../../base/crypto/crypto.ts'
import type { Log } from '../../chain/block/receiptLog.ts'
import type { TextEvent } from '../../cosmos/results/textEvent.ts'
import { createTokenLogReader } from './tokenLogs.ts'

/** The address that the logs of events come from and that synthetic transactions are sent to. No key for it is known. */
export const syntheticAddress: Uint8Array = keccak256(Buffer.from('cosmos')).subarray(12)

export const toTopic = (eventType: string): Uint8Array => keccak256(Buffer.from(`cosmos:${eventType}`))

/** A synthetic log, with its member `cosmos`. */
export interface SyntheticLog extends Log {
  readonly cosmos: Readonly<Record<string, string>>
}

const logOf = ({ type, attributes }: TextEvent): SyntheticLog => ({
  address: syntheticAddress,
  topics: [toTopic(type)],
  // The attributes are a list, because a key may occur more than once.
  data: Buffer.from(JSON.stringify(attributes.map(({ key, value }) => ({ key, value })))),
  cosmos: { event: type },
})

/** Returns the logs of a transaction: for each event its own, and behind it those of the tokens that it moved. */
export const toSyntheticLogs = (events: readonly TextEvent[]): readonly SyntheticLog[] => {
  const readTokens = createTokenLogReader()
  return events.flatMap((event) => [
    logOf(event),
    ...readTokens(event).map(({ mark, ...log }) => ({ ...log, cosmos: { event: event.type, ...mark } })),
  ])
}
