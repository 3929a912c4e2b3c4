import type { Worker } from 'node:worker_threads'
import type { AppHead } from '../../app/appHead.ts'
import type { RollbackOptions } from '../../app/application.ts'
import type { BlockAttributes } from '../../app/blockInputs.ts'
import { fromHeadMessage } from '../../app/headMessage.ts'
import {
  packTransactions,
  type RecoveredTransaction,
  unpackAddresses,
  unpackHashes,
} from '../../app/packing.ts'
import type { DecidedBlock } from '../../app/proposal/decidedBlock.ts'
import type { SnapshotOffer } from '../../app/snapshot/restore.ts'
import { takeWorker } from '../../base/threads/builtFiles.ts'
import { createLocalClient, createThreadClient, type ThreadClient } from '../../base/threads/threadRpc.ts'
import type { AccountEdit } from '../../chain/state/accountEdit.ts'
import {
  type AheadStats,
  type ChunkOutcome,
  type CommittedBlock,
  type EngineApplication,
  fromChunkMessage,
  type OfferOutcome,
} from '../../engine/application.ts'
import { isFailedCommit } from '../../engine/commitErrors.ts'
import type { Evm } from '../../evm/evm.ts'
import type { ThreadForkOptions } from '../../fork/threadSource.ts'
import type { DevRecord } from '../../store/tables/chainMeta.ts'
import { ProposalTickets } from './proposalTickets.ts'
import type { AppOptions, BlockMessage, GenesisSource, OpenedMessage } from './service.ts'
import type { createThreadService } from './threadService.ts'

/** The client of the application thread, used by the main thread. */
export class AppThread implements EngineApplication {
  readonly #options: AppOptions
  #calls: ThreadClient<AppThreadService>
  readonly #proposals: ProposalTickets
  #end: () => Promise<unknown>
  #isHere = false
  #isClosed = false

  /** Called once with the reason when a commit failed or the thread ended; nothing can be written until the file is opened again. */
  onCommitFailed: (reason: string) => void = () => {}

  /** The number of blocks that were executed ahead of the decision, as of the last decided block. */
  ahead: AheadStats = { used: 0, dropped: 0 }

  /** `end` ends the thread that serves `calls`. */
  constructor(options: AppOptions, calls: ThreadClient<AppThreadService>, end: () => Promise<unknown>) {
    const wantedProposal = new Int32Array(new SharedArrayBuffer(4))
    this.#options = { ...options, wantedProposal }
    this.#calls = this.#watched(calls)
    this.#proposals = new ProposalTickets(wantedProposal)
    this.#end = end
  }

  #watched(calls: ThreadClient<AppThreadService>): ThreadClient<AppThreadService> {
    return watchFailures(calls, (reason) => this.onCommitFailed(reason))
  }

  /** Starts the thread; `onWorker` is called with it, to serve what it waits for. */
  static start(options: AppOptions, onWorker: (worker: Worker) => void = () => {}): AppThread {
    const worker = takeWorker('app')
    onWorker(worker)
    const app = new AppThread(options, createThreadClient(worker), () => worker.terminate())
    app.#watchEnd(worker)
    return app
  }

  /**
   * Serves the application on this thread. It costs neither a thread nor the way there and back, and everything else waits
   * while a block is made: for chains with few clients, of which many are started. `onEnd` gets the EVM back.
   */
  static startHere(
    options: AppOptions,
    loadEvm: () => Promise<Evm>,
    onEnd: (evm: Evm) => void = () => {},
  ): AppThread {
    let evm: Evm | undefined
    const load = async (): Promise<Evm> => {
      evm = await loadEvm()
      return evm
    }
    const service = import('./threadService.ts').then(({ createThreadService }) => createThreadService(load))
    const app = new AppThread(options, createLocalClient(service), async () => {
      if (evm !== undefined) onEnd(evm)
      evm = undefined
    })
    app.#isHere = true
    return app
  }

  /** Moves an application that is served on this thread to one of its own, which may wait for a remote chain. */
  async moveToThread(onWorker: (worker: Worker) => void): Promise<void> {
    if (!this.#isHere) return
    await this.#calls.close()
    await this.#end()
    const worker = takeWorker('app')
    onWorker(worker)
    this.#isHere = false
    this.#calls = this.#watched(createThreadClient(worker))
    this.#end = () => worker.terminate()
    this.#watchEnd(worker)
    await this.open()
  }

  /** A thread that ends by itself, for want of memory or by a mistake of ours, leaves nobody who could write. */
  #watchEnd(worker: Worker): void {
    let reason = 'it gave no reason'
    worker.on('error', ({ message }) => {
      reason = message
    })
    worker.on('exit', () => {
      if (!this.#isClosed) this.onCommitFailed(`the thread that writes blocks ended: ${reason}`)
    })
  }

  async open(): Promise<AppHead & Pick<OpenedMessage, 'isNew' | 'warnings'>> {
    const { isNew, warnings, ...head } = await this.#calls.open(this.#options)
    return { ...fromHeadMessage(head), isNew, warnings }
  }

  /** Returns what is wrong with the forks that are ahead of the head. */
  findForkWarnings(): Promise<readonly string[]> {
    return this.#calls.findForkWarnings()
  }

  async produceBlock(
    decision: BlockAttributes,
    transactions: readonly RecoveredTransaction[],
  ): Promise<ProducedBlock> {
    this.#proposals.wantNone()
    const produced = await this.#calls.produceBlock(decision, packTransactions(transactions))
    return {
      ...fromHeadMessage(produced),
      included: unpackHashes(produced.included),
      rejected: produced.rejected,
      changed: unpackAddresses(produced.changed),
      isConsoleUsed: produced.isConsoleUsed,
    }
  }

  async produceEmptyBlocks(times: readonly number[], beneficiary: Uint8Array): Promise<AppHead> {
    this.#proposals.wantNone()
    return fromHeadMessage(await this.#calls.produceEmptyBlocks(times, beneficiary))
  }

  /** Returns undefined if the proposal may be accepted, otherwise the reason for its rejection. */
  processProposal(proposal: DecidedBlock): Promise<string | undefined> {
    return this.#calls.processProposal(proposal, this.#proposals.want(proposal.engineHash))
  }

  /**
   * Executes a block that the engine decided and returns the encoded response. If another block is being executed ahead,
   * that ends at once.
   */
  finalizeDecided(decided: DecidedBlock): Promise<Uint8Array> {
    this.#proposals.want(decided.engineHash)
    return this.#calls.finalizeDecided(decided)
  }

  async commitDecided(): Promise<CommittedBlock> {
    const { included, rejected, changed, ahead, ...head } = await this.#calls.commitDecided()
    this.ahead = ahead
    return { ...fromHeadMessage(head), included, rejected, changed }
  }

  offerSnapshot(offer: SnapshotOffer): Promise<OfferOutcome> {
    this.#proposals.wantNone()
    return this.#calls.offerSnapshot(offer)
  }

  async applyChunk(index: number, chunk: Uint8Array): Promise<ChunkOutcome> {
    return fromChunkMessage(await this.#calls.applyChunk(index, chunk))
  }

  async rollback(height: number, options: RollbackOptions = {}): Promise<AppHead> {
    this.#proposals.wantNone()
    return fromHeadMessage(await this.#calls.rollback(height, options))
  }

  /** Begins another chain in the place of this one. */
  async reset(genesis: GenesisSource, fork: ThreadForkOptions | undefined): Promise<AppHead> {
    this.#proposals.wantNone()
    return fromHeadMessage(await this.#calls.reset(genesis, fork))
  }

  /** Gives the chain another chain id; returns its configuration as JSON. */
  setChainId(chainId: bigint): Promise<string> {
    return this.#calls.setChainId(chainId)
  }

  /** Prunes some of the blocks below a height, and returns the oldest that is kept now. */
  pruneBlocks(height: number): Promise<number> {
    return this.#calls.pruneBlocks(height)
  }

  edit(edits: readonly AccountEdit[]): Promise<void> {
    return this.#calls.edit(edits)
  }

  saveDev(record: DevRecord): Promise<void> {
    return this.#calls.saveDev(record)
  }

  /** Closes the store, when nothing writes to it any more, and ends the thread. */
  async close(): Promise<void> {
    this.#isClosed = true
    this.#proposals.wantNone()
    try {
      await this.#calls.close()
    } finally {
      await this.terminate()
    }
  }

  /** Ends the thread, whatever it is doing. */
  async terminate(): Promise<void> {
    this.#isClosed = true
    await this.#end()
  }
}

/** Returns the same calls; `onFailure` is called with the reason when the first of them is rejected by a failed commit. */
const watchFailures = (
  calls: ThreadClient<AppThreadService>,
  onFailure: (reason: string) => void,
): ThreadClient<AppThreadService> => {
  let isTold = false
  const tell = (error: unknown): void => {
    if (isTold || !isFailedCommit(error)) return
    isTold = true
    onFailure(error.message)
  }
  return new Proxy(calls, {
    get: (target, name) => {
      const call = target[name as keyof AppThreadService] as (...args: unknown[]) => Promise<unknown>
      return (...args: unknown[]) => {
        const result = call(...args)
        result.catch(tell)
        return result
      }
    },
  })
}

export interface ProducedBlock extends AppHead, Pick<BlockMessage, 'rejected' | 'isConsoleUsed'> {
  /** The hashes of the included transactions. */
  readonly included: readonly Uint8Array[]
  /** The addresses of the accounts that changed. */
  readonly changed: readonly Uint8Array[]
}

/** The service of the thread; the first call opens its chain. */
export type AppThreadService = ReturnType<typeof createThreadService>
