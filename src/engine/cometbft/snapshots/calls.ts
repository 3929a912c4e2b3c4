import type { AppHead } from '../../../app/application.ts'
import { snapshotFormat } from '../../../app/snapshot/metadata.ts'
import type { OfferRefusal } from '../../../app/snapshot/restore.ts'
import type { Logger } from '../../../base/log.ts'
import type { EngineApplication } from '../../application.ts'
import type { AbciHandler, AbciResponse } from '../abci/messages.ts'
import type { Snapshots } from './snapshots.ts'

export interface SnapshotCallDependencies {
  readonly app: Pick<EngineApplication, 'offerSnapshot' | 'applyChunk'>
  readonly snapshots: Pick<Snapshots, 'list' | 'chunk' | 'onCommitted'>
  /** The head is where a restore brought it: the blocks between are not there. */
  readonly onJump: (head: AppHead) => void
  readonly log: Logger
}

const accept = 1

const offerResults: Readonly<Record<OfferRefusal, number>> = { abort: 2, snapshot: 3, format: 4, sender: 5 }

const chunkResults = { accept, abort: 2, retry: 3, rejectSnapshot: 5 } as const

/** The part of the protocol by which a node joins from a state instead of from the first block. */
export const createSnapshotCalls = ({
  app,
  snapshots,
  onJump,
  log,
}: SnapshotCallDependencies): Pick<
  AbciHandler,
  'listSnapshots' | 'offerSnapshot' | 'loadSnapshotChunk' | 'applySnapshotChunk'
> => ({
  listSnapshots: () => ({
    snapshots: snapshots.list().map(({ height, encoded, hash, metadata }) => ({
      height: BigInt(height),
      format: snapshotFormat,
      chunks: metadata.chunks.length,
      hash,
      metadata: encoded,
    })),
  }),

  loadSnapshotChunk: async ({ height, format, chunk }) => ({
    // CometBFT takes an empty chunk for a missing one.
    chunk: (await snapshots.chunk(Number(height), format, chunk)) ?? new Uint8Array(0),
  }),

  offerSnapshot: async ({ snapshot, appHash }) => {
    if (snapshot === undefined) return { result: offerResults.snapshot }
    const { height, format, chunks, hash, metadata } = snapshot
    const offer = { height: Number(height), format, chunks, hash, metadata, appHash }
    const { refusal, reason } = await app.offerSnapshot(offer)
    if (refusal === undefined) {
      log.info({ height: offer.height, chunks }, 'a snapshot is being restored')
      return { result: accept }
    }
    log.warn({ height: offer.height, reason }, 'a snapshot is refused')
    return { result: offerResults[refusal] }
  },

  applySnapshotChunk: async ({ index, chunk, sender }): Promise<AbciResponse<'applySnapshotChunk'>> => {
    const outcome = await app.applyChunk(index, chunk)
    switch (outcome.kind) {
      case 'taken':
        return { result: chunkResults.accept }
      case 'restored': {
        const { head } = outcome
        onJump(head)
        log.info({ height: Number(head.header.number) }, 'the snapshot is restored')
        return { result: chunkResults.accept }
      }
      case 'wrong chunk':
        log.warn({ index, sender }, 'a chunk of a snapshot is wrong: it is asked for again, of somebody else')
        return { result: chunkResults.retry, refetchChunks: [index], rejectSenders: [sender] }
      case 'wrong snapshot':
        onJump(outcome.head)
        log.warn({ reason: outcome.reason, sender }, 'a snapshot is wrong')
        return { result: chunkResults.rejectSnapshot, rejectSenders: [sender] }
      case 'failed':
        log.error({ reason: outcome.reason }, 'a snapshot cannot be restored')
        return { result: chunkResults.abort }
    }
  },
})
