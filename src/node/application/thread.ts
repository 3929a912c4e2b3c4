import { Worker } from 'node:worker_threads'
import type { DecidedBlock } from '../../app/application.ts'
import type { Decision } from '../../app/blockInputs.ts'
import type { SnapshotOffer } from '../../app/snapshot/restore.ts'
import { workerUrl } from '../../base/builtFiles.ts'
import { callThread } from '../../base/threadCalls.ts'
import { decodeHeader, type Header } from '../../chain/block/header.ts'
import type { CommittedMessage } from './decided.ts'
import { packTransactions, type SentTransaction, unpackAddresses, unpackHashes } from './packed.ts'
import type { ChunkMessage, OfferMessage } from './restore.ts'
import type { AppOptions, HeadMessage, MadeMessage, OpenedMessage, PreviewMessage } from './service.ts'

export interface ThreadHead {
  readonly header: Header
  readonly hash: Uint8Array
}

/** The application, as the main thread sees it. */
export class AppThread {
  readonly #worker: Worker
  readonly #calls: ReturnType<typeof callThread<AppThreadService>>

  constructor(options: AppOptions) {
    this.#worker = new Worker(workerUrl('application'), { name: 'app', workerData: options })
    this.#calls = callThread(this.#worker)
  }

  async open(): Promise<ThreadHead & { readonly isNew: boolean }> {
    const { isNew, ...head } = await this.#calls.open()
    return { ...toHead(head), isNew }
  }

  async makeBlock(decision: Decision, transactions: readonly SentTransaction[]): Promise<MadeBlock> {
    const made = await this.#calls.makeBlock(decision, packTransactions(transactions))
    return {
      ...toHead(made),
      included: unpackHashes(made.included),
      rejected: made.rejected,
      changed: unpackAddresses(made.changed),
    }
  }

  /** What the next block would be. */
  async previewBlock(decision: Decision, transactions: readonly SentTransaction[]): Promise<Preview> {
    const packed = packTransactions(transactions)
    const { included, receipts, changes, ...head } = await this.#calls.previewBlock(decision, packed)
    return { ...toHead(head), included: unpackHashes(included), receipts, changes }
  }

  /** Undefined: the proposal may be voted for; otherwise why not. */
  processProposal(proposal: Omit<DecidedBlock, 'engineHash'>): Promise<string | undefined> {
    return this.#calls.processProposal(proposal)
  }

  /** Executes a block of a replicated engine; gives the answer to it, encoded. */
  finalizeDecided(decided: DecidedBlock): Promise<Uint8Array> {
    return this.#calls.finalizeDecided(decided)
  }

  async commitDecided(): Promise<ThreadHead & Pick<CommittedMessage, 'included' | 'changed'>> {
    const { included, changed, ...head } = await this.#calls.commitDecided()
    return { ...toHead(head), included, changed }
  }

  offerSnapshot(offer: SnapshotOffer): Promise<OfferMessage> {
    return this.#calls.offerSnapshot(offer)
  }

  applyChunk(index: number, chunk: Uint8Array): Promise<ChunkMessage> {
    return this.#calls.applyChunk(index, chunk)
  }

  async rollback(height: number): Promise<ThreadHead> {
    return toHead(await this.#calls.rollback(height))
  }

  async close(): Promise<void> {
    await this.#calls.close()
    await this.terminate()
  }

  /** Ends the thread whatever it is doing. */
  async terminate(): Promise<void> {
    await this.#worker.terminate()
  }
}

interface MadeBlock extends ThreadHead, Pick<MadeMessage, 'rejected'> {
  /** Hashes of the transactions in it. */
  readonly included: readonly Uint8Array[]
  /** Accounts that are not as they were. */
  readonly changed: readonly Uint8Array[]
}

export interface Preview extends ThreadHead, Pick<PreviewMessage, 'receipts' | 'changes'> {
  readonly included: readonly Uint8Array[]
}

/** What `appWorker.ts` serves. */
type AppThreadService = {
  open: () => OpenedMessage
  makeBlock: (decision: Decision, transactions: Uint8Array) => MadeMessage
  previewBlock: (decision: Decision, transactions: Uint8Array) => PreviewMessage
  processProposal: (proposal: Omit<DecidedBlock, 'engineHash'>) => string | undefined
  finalizeDecided: (decided: DecidedBlock) => Uint8Array
  commitDecided: () => CommittedMessage
  offerSnapshot: (offer: SnapshotOffer) => OfferMessage
  applyChunk: (index: number, chunk: Uint8Array) => ChunkMessage
  rollback: (height: number) => HeadMessage
  close: () => void
}

export const toHead = ({ headerRlp, hash }: HeadMessage): ThreadHead => ({
  header: decodeHeader(headerRlp),
  hash,
})
