import type { Application, DecidedBlock } from '../../app/application.ts'
import { encodeHeader } from '../../chain/block/header.ts'
import { encodeFinalizeResponse } from '../../engine/cometbft/abci/finalizeResponse.ts'
import type { HeadMessage } from './service.ts'

export interface CommittedMessage extends HeadMessage {
  readonly included: readonly Uint8Array[]
  readonly changed: readonly Uint8Array[]
}

/** Blocks as a replicated engine decides them, on the application's thread. */
export const createDecidedService = (app: Application) => {
  let finalized: Pick<CommittedMessage, 'included' | 'changed'> | undefined
  return {
    /** Undefined: it may be voted for; otherwise why not. */
    processProposal: (proposal: Omit<DecidedBlock, 'engineHash'>): string | undefined => {
      const verdict = app.processProposal(proposal)
      return verdict.accepted ? undefined : verdict.reason
    },

    /** The engine's answer, encoded here so that a large block does not hold up the main thread. */
    finalizeDecided: (decided: DecidedBlock): Uint8Array => {
      const result = app.finalizeDecided(decided)
      finalized = {
        included: result.outcome.transactions.map(({ hash }) => hash),
        changed: result.outcome.changes.accounts.map(({ address }) => address),
      }
      return encodeFinalizeResponse(result)
    },

    commitDecided: async (): Promise<CommittedMessage> => {
      if (finalized === undefined) throw new Error('no block is finalized')
      const { header, hash } = await app.commit()
      const committed = { headerRlp: encodeHeader(header), hash, ...finalized }
      finalized = undefined
      return committed
    },
  }
}
