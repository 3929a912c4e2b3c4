import type { Application, DecidedBlock } from '../../../app/application.ts'
import { type HeadMessage, toHeadMessage } from '../../../app/headMessage.ts'
import type { CommittedBlock } from '../../application.ts'
import { encodeFinalizeResponse } from '../abci/finalizeResponse.ts'

/** A committed block as it travels between threads. */
export type CommittedMessage = HeadMessage & Pick<CommittedBlock, 'included' | 'changed'>

/** Blocks as a replicated engine decides them, on the application's thread. */
export const createDecidedService = (app: Application) => {
  let finalized: Pick<CommittedBlock, 'included' | 'changed'> | undefined
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
      const committed = { ...toHeadMessage(await app.commit()), ...finalized }
      finalized = undefined
      return committed
    },
  }
}
