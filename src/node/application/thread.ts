import { Worker } from 'node:worker_threads'
import type { AppHead, DecidedBlock } from '../../app/application.ts'
import type { Decision } from '../../app/blockInputs.ts'
import { fromHeadMessage } from '../../app/headMessage.ts'
import type { SnapshotOffer } from '../../app/snapshot/restore.ts'
import { workerUrl } from '../../base/builtFiles.ts'
import { callThread } from '../../base/threadCalls.ts'
import {
  type ChunkOutcome,
  type CommittedBlock,
  type EngineApplication,
  fromChunkMessage,
  type OfferOutcome,
} from '../../engine/application.ts'
import { packTransactions, type SentTransaction, unpackAddresses, unpackHashes } from './packed.ts'
import type { AppOptions, createAppService, MadeMessage, OpenedMessage, PreviewMessage } from './service.ts'

/** The application, as the main thread sees it. */
export class AppThread implements EngineApplication {
  readonly #worker: Worker
  readonly #calls: ReturnType<typeof callThread<AppThreadService>>

  constructor(options: AppOptions) {
    this.#worker = new Worker(workerUrl('application'), { name: 'app', workerData: options })
    this.#calls = callThread(this.#worker)
  }

  async open(): Promise<AppHead & { readonly isNew: boolean }> {
    const { isNew, ...head } = await this.#calls.open()
    return { ...fromHeadMessage(head), isNew }
  }

  async makeBlock(decision: Decision, transactions: readonly SentTransaction[]): Promise<MadeBlock> {
    const made = await this.#calls.makeBlock(decision, packTransactions(transactions))
    return {
      ...fromHeadMessage(made),
      included: unpackHashes(made.included),
      rejected: made.rejected,
      changed: unpackAddresses(made.changed),
    }
  }

  /** What the next block would be. */
  async previewBlock(decision: Decision, transactions: readonly SentTransaction[]): Promise<Preview> {
    const packed = packTransactions(transactions)
    const { included, receipts, changes, ...head } = await this.#calls.previewBlock(decision, packed)
    return { ...fromHeadMessage(head), included: unpackHashes(included), receipts, changes }
  }

  /** Undefined: the proposal may be voted for; otherwise why not. */
  processProposal(proposal: Omit<DecidedBlock, 'engineHash'>): Promise<string | undefined> {
    return this.#calls.processProposal(proposal)
  }

  /** Executes a block of a replicated engine; gives the answer to it, encoded. */
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

  /** Closes the store, which nothing writes to any more, and ends the thread. */
  async close(): Promise<void> {
    try {
      await this.#calls.close()
    } finally {
      await this.terminate()
    }
  }

  /** Ends the thread whatever it is doing. */
  async terminate(): Promise<void> {
    await this.#worker.terminate()
  }
}

interface MadeBlock extends AppHead, Pick<MadeMessage, 'rejected'> {
  /** Hashes of the transactions in it. */
  readonly included: readonly Uint8Array[]
  /** Accounts that are not as they were. */
  readonly changed: readonly Uint8Array[]
}

export interface Preview extends AppHead, Pick<PreviewMessage, 'receipts' | 'changes'> {
  readonly included: readonly Uint8Array[]
}

/** What the thread serves; its chain is opened by the first call. */
type AppThreadService = Omit<Awaited<ReturnType<typeof createAppService>>, 'opened'> & {
  open: () => OpenedMessage
}
