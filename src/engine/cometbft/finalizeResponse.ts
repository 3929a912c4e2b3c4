import type { DecidedResult } from '../../app/application.ts'
import { encodeResponse } from './abciMessages.ts'

/** A change of the engine's validators; power 0 takes one out. */
export interface ValidatorChange {
  readonly publicKey: Uint8Array
  readonly power: bigint
}

/** What the engine is told of a block that was executed, ready to be sent. */
export const encodeFinalizeResponse = (
  { hash, results, events }: Pick<DecidedResult, 'hash' | 'results' | 'events'>,
  validators: readonly ValidatorChange[],
): Uint8Array =>
  encodeResponse({
    case: 'finalizeBlock',
    value: {
      appHash: hash,
      events: events.map(toEvent),
      txResults: results.map((result) => ({ ...result, events: result.events.map(toEvent) })),
      validatorUpdates: validators.map(toValidatorUpdate),
    },
  })

export const toValidatorUpdate = ({ publicKey, power }: ValidatorChange) => ({
  pubKey: { sum: { case: 'ed25519' as const, value: publicKey } },
  power,
})

const toEvent = ({ type, attributes }: DecidedResult['events'][number]) => ({
  type,
  attributes: attributes.map((attribute) => ({ ...attribute })),
})
