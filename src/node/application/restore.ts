import type { Application } from '../../app/application.ts'
import {
  considerOffer,
  isBrokenOff,
  type OfferRefusal,
  type RestoreParts,
  returnToFirstBlock,
  type SnapshotOffer,
  type SnapshotRestore,
} from '../../app/snapshot/restore.ts'
import { LowSpaceError, PoisonedError } from '../../base/lmdb.ts'
import { encodeHeader } from '../../chain/block/header.ts'
import type { Genesis } from '../../chain/genesis/genesis.ts'
import type { HeadMessage } from './service.ts'

export interface OfferMessage {
  /** Undefined: it is taken. */
  readonly refusal?: OfferRefusal
  readonly reason?: string
}

/** What became of a chunk. */
export type ChunkMessage =
  | { readonly kind: 'taken' }
  /** The chain stands at the snapshot's block now. */
  | { readonly kind: 'restored'; readonly head: HeadMessage }
  /** It is not the chunk that the snapshot names. */
  | { readonly kind: 'wrong chunk' }
  /** The chunks are right and what they say is not: nobody offers this in good faith. */
  | { readonly kind: 'wrong snapshot'; readonly reason: string; readonly head: HeadMessage }
  /** It has nothing to do with the snapshot. */
  | { readonly kind: 'failed'; readonly reason: string }

/** Snapshots of others, on the application's thread. */
export const createRestoreService = (app: Application, parts: RestoreParts, readGenesis: () => Genesis) => {
  let restore: SnapshotRestore | undefined

  const reload = (): HeadMessage => {
    const { header, hash } = app.reload()
    return { headerRlp: encodeHeader(header), hash }
  }

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
    offerSnapshot: (offer: SnapshotOffer): OfferMessage => {
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
