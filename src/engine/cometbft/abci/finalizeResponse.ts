import type { FinalizeResult } from '../../../app/application.ts'
import type { ValidatorChange } from '../../../chain/validators/validators.ts'
import { encodeResponse } from './messages.ts'

/** Encodes the response to FinalizeBlock for an executed block. */
export const encodeFinalizeResponse = ({
  hash,
  results,
  events,
  validatorChanges,
}: Pick<FinalizeResult, 'hash' | 'results' | 'events' | 'validatorChanges'>): Uint8Array =>
  encodeResponse({
    case: 'finalizeBlock',
    value: {
      appHash: hash,
      events: events.map(toEvent),
      txResults: results.map((result) => ({ ...result, events: result.events.map(toEvent) })),
      validatorUpdates: validatorChanges.map(toValidatorUpdate),
    },
  })

const toValidatorUpdate = ({ publicKey, power }: ValidatorChange) => ({
  pubKey: { sum: { case: 'ed25519' as const, value: publicKey } },
  power,
})

const toEvent = ({ type, attributes }: FinalizeResult['events'][number]) => ({
  type,
  attributes: attributes.map((attribute) => ({ ...attribute })),
})
