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
import { LowSpaceError, PoisonedError } from '../../../base/lmdb.ts'
import type { Genesis } from '../../../chain/genesis/genesis.ts'
import type { ChunkOutcome, OfferOutcome } from '../../application.ts'

/** The outcome as it is posted between threads. */
export type ChunkResult = ChunkOutcome<HeadMessage>

/** Returns the calls of the application thread that restore a snapshot of another node. */
export const createRestoreService = (
  app: Application,
  parts: RestoreDependencies,
  readGenesis: () => Genesis,
) => {
  let restore: SnapshotRestorer | undefined

  const reload = (): HeadMessage => toHeadMessage(app.reload())

  const add = async (chunk: Uint8Array): Promise<ChunkResult> => {
    try {
      if (!(await restore?.add(chunk))) return { kind: 'taken' }
    } catch (error) {
      restore = undefined
      const reason = (error as Error).message
      if (error instanceof LowSpaceError || error instanceof PoisonedError) return { kind: 'failed', reason }
      if (isRestoreInterrupted(parts)) await resetToGenesis(parts, readGenesis())
      return { kind: 'wrong snapshot', reason, head: reload() }
    }
    restore = undefined
    return { kind: 'restored', head: reload() }
  }

  return {
    offerSnapshot: (offer: SnapshotOffer): OfferOutcome => {
      restore = undefined
      const considered = evaluateOffer(parts, app.config, offer)
      if ('rejection' in considered) return considered
      restore = considered.restore
      return {}
    },

    applyChunk: async (index: number, chunk: Uint8Array): Promise<ChunkResult> => {
      if (restore === undefined) return { kind: 'failed', reason: 'no snapshot is being restored' }
      return restore.isNext(index, chunk) ? add(chunk) : { kind: 'wrong chunk' }
    },
  }
}
