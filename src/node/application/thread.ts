import type { Worker } from 'node:worker_threads'
import type { AppHead, DecidedBlock } from '../../app/application.ts'
import type { BlockAttributes } from '../../app/blockInputs.ts'
import { fromHeadMessage } from '../../app/headMessage.ts'
import {
  packTransactions,
  type RecoveredTransaction,
  unpackAddresses,
  unpackHashes,
} from '../../app/packing.ts'
import type { SnapshotOffer } from '../../app/snapshot/restore.ts'
import { startWorker } from '../../base/threads/builtFiles.ts'
import { createThreadClient } from '../../base/threads/threadRpc.ts'
import {
  type ChunkOutcome,
  type CommittedBlock,
  type EngineApplication,
  fromChunkMessage,
  type OfferOutcome,
} from '../../engine/application.ts'
import type { AppOptions, BlockMessage, createAppService, OpenedMessage } from './service.ts'

/** The client of the application thread, used by the main thread. */
export class AppThread implements EngineApplication {
  readonly #worker: Worker
  readonly #calls: ReturnType<typeof createThreadClient<AppThreadService>>

  constructor(options: AppOptions) {
    this.#worker = startWorker('application', { name: 'app', workerData: options })
    this.#calls = createThreadClient(this.#worker)
  }

  async open(): Promise<AppHead & { readonly isNew: boolean }> {
    const { isNew, ...head } = await this.#calls.open()
    return { ...fromHeadMessage(head), isNew }
  }

  async produceBlock(
    decision: BlockAttributes,
    transactions: readonly RecoveredTransaction[],
  ): Promise<ProducedBlock> {
    const produced = await this.#calls.makeBlock(decision, packTransactions(transactions))
    return {
      ...fromHeadMessage(produced),
      included: unpackHashes(produced.included),
      rejected: produced.rejected,
      changed: unpackAddresses(produced.changed),
    }
  }

  /** Returns undefined if the proposal may be accepted, otherwise the reason for its rejection. */
  processProposal(proposal: Omit<DecidedBlock, 'engineHash'>): Promise<string | undefined> {
    return this.#calls.processProposal(proposal)
  }

  /** Executes a block that the engine decided and returns the encoded response. */
  finalizeDecided(decided: DecidedBlock): Promise<Uint8Array> {
    return this.#calls.finalizeDecided(decided)
  }

  async commitDecided(): Promise<CommittedBlock> {
    const { included, changed, ...head } = await this.#calls.commitDecided()
    return { ...fromHeadMessage(head), included, changed }
  }

  offerSnapshot(offer: SnapshotOffer): Promise<OfferOutcome> {
    return this.#calls.offerSnapshot(offer)
  }

  async applyChunk(index: number, chunk: Uint8Array): Promise<ChunkOutcome> {
    return fromChunkMessage(await this.#calls.applyChunk(index, chunk))
  }

  async rollback(height: number): Promise<AppHead> {
    return fromHeadMessage(await this.#calls.rollback(height))
  }

  /** Closes the store, when nothing writes to it any more, and ends the thread. */
  async close(): Promise<void> {
    try {
      await this.#calls.close()
    } finally {
      await this.terminate()
    }
  }

  /** Ends the thread, whatever it is doing. */
  async terminate(): Promise<void> {
    await this.#worker.terminate()
  }
}

interface ProducedBlock extends AppHead, Pick<BlockMessage, 'rejected'> {
  /** The hashes of the included transactions. */
  readonly included: readonly Uint8Array[]
  /** The addresses of the accounts that changed. */
  readonly changed: readonly Uint8Array[]
}

/** The service of the thread; the first call opens its chain. */
type AppThreadService = Omit<Awaited<ReturnType<typeof createAppService>>, 'opened'> & {
  open: () => OpenedMessage
}
