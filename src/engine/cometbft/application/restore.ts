import type { Application } from '../../../app/application.ts'
import { type HeadMessage, toHeadMessage } from '../../../app/headMessage.ts'
import {
  evaluateOffer,
  isRestoreInterrupted,
  type RestoreDependencies,
  resetToGenesis,
  type SnapshotOffer,
  type SnapshotRestorer,
} from '../../../app/snapshot/restore.ts'
import { LowSpaceError, PoisonedError } from '../../../base/lmdb/lmdb.ts'
import type { Genesis } from '../../../chain/genesis/genesis.ts'
import type { ChunkOutcome, OfferOutcome } from '../../application.ts'

/** The outcome as it is posted between threads. */
export type ChunkResult = ChunkOutcome<HeadMessage>

/** Returns the calls of the application thread that restore a snapshot of another node. */
export const createRestoreService = (
  app: Application,
  dependencies: RestoreDependencies,
  readGenesis: () => Genesis,
) => {
  let restorer: SnapshotRestorer | undefined

  const reload = (): HeadMessage => toHeadMessage(app.reload())

  const add = async (chunk: Uint8Array): Promise<ChunkResult> => {
    try {
      if (!(await restorer?.add(chunk))) return { kind: 'taken' }
    } catch (error) {
      restorer = undefined
      const reason = (error as Error).message
      if (error instanceof LowSpaceError || error instanceof PoisonedError) return { kind: 'failed', reason }
      if (isRestoreInterrupted(dependencies)) await resetToGenesis(dependencies, readGenesis())
      return { kind: 'wrong snapshot', reason, head: reload() }
    }
    restorer = undefined
    return { kind: 'restored', head: reload() }
  }

  return {
    offerSnapshot: (offer: SnapshotOffer): OfferOutcome => {
      restorer = undefined
      const evaluation = evaluateOffer(dependencies, app.config, offer)
      if ('rejection' in evaluation) return evaluation
      restorer = evaluation.restore
      return {}
    },

    applyChunk: async (index: number, chunk: Uint8Array): Promise<ChunkResult> => {
      if (restorer === undefined) return { kind: 'failed', reason: 'no snapshot is being restored' }
      return restorer.isNext(index, chunk) ? add(chunk) : { kind: 'wrong chunk' }
    },
  }
}
