import type { Application } from '../../../app/application.ts'
import { type HeadMessage, toHeadMessage } from '../../../app/headMessage.ts'
import {
  considerOffer,
  isBrokenOff,
  type RestoreParts,
  returnToFirstBlock,
  type SnapshotOffer,
  type SnapshotRestore,
} from '../../../app/snapshot/restore.ts'
import { LowSpaceError, PoisonedError } from '../../../base/lmdb.ts'
import type { Genesis } from '../../../chain/genesis/genesis.ts'
import type { ChunkOutcome, OfferOutcome } from '../../application.ts'

/** The outcome as it travels between threads. */
export type ChunkMessage = ChunkOutcome<HeadMessage>

/** Snapshots of others, on the application's thread. */
export const createRestoreService = (app: Application, parts: RestoreParts, readGenesis: () => Genesis) => {
  let restore: SnapshotRestore | undefined

  const reload = (): HeadMessage => toHeadMessage(app.reload())

  const add = async (chunk: Uint8Array): Promise<ChunkMessage> => {
    try {
      if (!(await restore?.add(chunk))) return { kind: 'taken' }
    } catch (error) {
      restore = undefined
      const reason = (error as Error).message
      if (error instanceof LowSpaceError || error instanceof PoisonedError) return { kind: 'failed', reason }
      if (isBrokenOff(parts)) await returnToFirstBlock(parts, readGenesis())
      return { kind: 'wrong snapshot', reason, head: reload() }
    }
    restore = undefined
    return { kind: 'restored', head: reload() }
  }

  return {
    offerSnapshot: (offer: SnapshotOffer): OfferOutcome => {
      restore = undefined
      const considered = considerOffer(parts, app.config, offer)
      if ('refusal' in considered) return considered
      restore = considered.restore
      return {}
    },

    applyChunk: async (index: number, chunk: Uint8Array): Promise<ChunkMessage> => {
      if (restore === undefined) return { kind: 'failed', reason: 'no snapshot is being restored' }
      return restore.isNext(index, chunk) ? add(chunk) : { kind: 'wrong chunk' }
    },
  }
}
