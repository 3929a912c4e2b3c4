import type { AppHead } from '../../../app/appHead.ts'
import { snapshotFormat } from '../../../app/snapshot/metadata.ts'
import type { OfferRejection } from '../../../app/snapshot/restore.ts'
import { toHex } from '../../../base/encoding/hex.ts'
import { JobProgress } from '../../../base/logging/jobProgress.ts'
import type { Logger } from '../../../base/logging/log.ts'
import type { EngineApplication } from '../../application.ts'
import type { SnapshotService } from '../snapshots/snapshotService.ts'
import type { AbciHandler, AbciResponse } from './messages.ts'

export interface SnapshotHandlerDependencies {
  readonly app: Pick<EngineApplication, 'offerSnapshot' | 'applyChunk'>
  readonly snapshots: Pick<SnapshotService, 'list' | 'chunk' | 'onCommitted'>
  /** Called when a restore has moved the head; the blocks between are not stored. */
  readonly onSnapshotRestored: (head: AppHead) => void
  readonly log: Logger
}

const accept = 1

const offerResults: Readonly<Record<OfferRejection, number>> = { abort: 2, snapshot: 3, format: 4, sender: 5 }

/**
 * How many wrong chunks in a row, for each peer that sent one, show that no other peer offers the snapshot. CometBFT asks
 * any of them at random, so that one honest peer among two is missed once in 256 times.
 */
const triesPerPeer = 8

const chunkResults = { accept, abort: 2, retry: 3, rejectSnapshot: 5 } as const

/** Creates the ABCI calls for state sync, by which a node joins from a snapshot instead of from the first block. */
export const createSnapshotHandler = ({
  app,
  snapshots,
  onSnapshotRestored,
  log,
}: SnapshotHandlerDependencies): Pick<
  AbciHandler,
  'listSnapshots' | 'offerSnapshot' | 'loadSnapshotChunk' | 'applySnapshotChunk'
> => {
  /**
   * The peers that sent chunks of the snapshot that is being restored. CometBFT asks only those that offered this very
   * snapshot, so that all of them lied if it proves wrong.
   */
  const senders = new Set<string>()
  /**
   * Those that sent a wrong chunk, and how many came since a right one. They are rejected when somebody else sent the
   * right one: CometBFT waits two minutes for a snapshot if it has rejected every peer that has it.
   */
  const liars = new Set<string>()
  let wrongChunks = 0
  const progress = new JobProgress(
    { doing: 'restoring a snapshot', done: 'all chunks of the snapshot are here', unit: 'chunks' },
    log,
  )
  let restoring = { chunks: 0, taken: 0 }
  const takeLiars = (honest: string): string[] => {
    const taken = [...liars].filter((sender) => sender !== honest)
    liars.clear()
    wrongChunks = 0
    return taken
  }
  return {
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
      // CometBFT treats an empty chunk as a missing one.
      chunk: (await snapshots.chunk(Number(height), format, chunk)) ?? new Uint8Array(0),
    }),

    offerSnapshot: async ({ snapshot, appHash }) => {
      if (snapshot === undefined) return { result: offerResults.snapshot }
      const { height, format, chunks, hash, metadata } = snapshot
      const offer = { height: Number(height), format, chunks, hash, metadata, appHash }
      senders.clear()
      liars.clear()
      wrongChunks = 0
      const { rejection, reason } = await app.offerSnapshot(offer)
      if (rejection === undefined) {
        restoring = { chunks, taken: 0 }
        log.info({ height: offer.height, chunks }, 'a snapshot is being restored')
        return { result: accept }
      }
      // CometBFT knows the peers, and its log names them.
      log.warn({ height: offer.height, hash: toHex(hash), reason }, 'snapshot offer rejected')
      return { result: offerResults[rejection] }
    },

    applySnapshotChunk: async ({ index, chunk, sender }): Promise<AbciResponse<'applySnapshotChunk'>> => {
      senders.add(sender)
      const outcome = await app.applyChunk(index, chunk)
      switch (outcome.kind) {
        case 'taken':
          progress.step(++restoring.taken, restoring.chunks)
          return { result: chunkResults.accept, rejectSenders: takeLiars(sender) }
        case 'restored': {
          const { head } = outcome
          onSnapshotRestored(head)
          progress.end()
          log.info({ height: Number(head.header.number) }, 'the snapshot is restored')
          return { result: chunkResults.accept }
        }
        case 'wrong chunk':
          senders.delete(sender)
          if (!liars.has(sender)) log.warn({ index, sender }, 'a peer sent a forged snapshot chunk')
          liars.add(sender)
          wrongChunks++
          if (wrongChunks < triesPerPeer * liars.size)
            return { result: chunkResults.retry, refetchChunks: [index] }
          log.warn({ index, senders: [...liars] }, 'no peer has the chunks of a snapshot that it offers')
          return { result: chunkResults.rejectSnapshot, rejectSenders: [...liars] }
        case 'wrong snapshot':
          onSnapshotRestored(outcome.head)
          log.warn({ reason: outcome.reason, senders: [...senders] }, 'peers sent a forged snapshot')
          return { result: chunkResults.rejectSnapshot, rejectSenders: [...senders] }
        case 'failed':
          log.error({ reason: outcome.reason }, 'a snapshot cannot be restored')
          return { result: chunkResults.abort }
      }
    },
  }
}
