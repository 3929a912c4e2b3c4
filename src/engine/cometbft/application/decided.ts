import type { Application, DecidedBlock } from '../../../app/application.ts'
import { type HeadMessage, toHeadMessage } from '../../../app/headMessage.ts'
import type { CommittedBlock } from '../../application.ts'
import { encodeFinalizeResponse } from '../abci/finalizeResponse.ts'

/** A committed block as it is posted between threads. */
export type CommittedMessage = HeadMessage & Pick<CommittedBlock, 'included' | 'changed'>

/** Returns the calls of the application thread for blocks that a replicated engine decides. */
export const createFinalizeService = (app: Application) => {
  let finalized: Pick<CommittedBlock, 'included' | 'changed'> | undefined
  return {
    /** Returns undefined if the proposal may be accepted, otherwise the reason for its rejection. */
    processProposal: (proposal: Omit<DecidedBlock, 'engineHash'>): string | undefined => {
      const proposalResult = app.processProposal(proposal)
      return proposalResult.accepted ? undefined : proposalResult.reason
    },

    /** Returns the encoded response. It is encoded here, so that a large block does not block the main thread. */
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
