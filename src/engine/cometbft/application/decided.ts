import type { Application } from '../../../app/application.ts'
import { type HeadMessage, toHeadMessage } from '../../../app/headMessage.ts'
import type { DecidedBlock } from '../../../app/proposal/decidedBlock.ts'
import type { AheadStats, CommittedBlock } from '../../application.ts'
import { AheadExecution } from './ahead.ts'

/** A committed block as it is posted between threads, with the number of blocks that were executed ahead. */
export type CommittedMessage = HeadMessage &
  Pick<CommittedBlock, 'included' | 'rejected' | 'changed'> & { readonly ahead: AheadStats }

/**
 * Returns the calls of the application thread for blocks that a replicated engine decides. `wanted` is memory shared with
 * the main thread: it has the ticket of the proposal that may still be decided.
 */
export const createFinalizeService = (app: Application, wanted?: Int32Array) => {
  const ahead = new AheadExecution(app)
  let finalized: Pick<CommittedBlock, 'included' | 'rejected' | 'changed'> | undefined
  return {
    /**
     * Returns undefined if the proposal may be accepted, otherwise the reason for its rejection. An accepted proposal is
     * executed ahead, while `wanted` has its ticket.
     */
    processProposal: (proposal: DecidedBlock, ticket = 0): string | undefined => {
      ahead.cancel()
      const proposalResult = app.processProposal(proposal)
      if (!proposalResult.accepted) return proposalResult.reason
      if (wanted !== undefined) ahead.schedule(proposal, () => Atomics.load(wanted, 0) === ticket)
      return undefined
    },

    /** Returns the encoded response. It is encoded here, so that a large block does not block the main thread. */
    finalizeDecided: (decided: DecidedBlock): Uint8Array => {
      const { result, response } = ahead.finalize(decided)
      finalized = {
        included: result.outcome.transactions.map(({ hash }) => hash),
        rejected: result.outcome.rejected.map(({ candidate, reason }) => ({
          hash: candidate.hash.slice(),
          reason,
        })),
        changed: result.outcome.changes.accounts.map(({ address }) => address),
      }
      return response
    },

    commitDecided: async (): Promise<CommittedMessage> => {
      if (finalized === undefined) throw new Error('no block is finalized')
      const committed = { ...toHeadMessage(await app.commit()), ...finalized, ahead: ahead.stats }
      finalized = undefined
      return committed
    },
  }
}
