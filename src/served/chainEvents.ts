import { lazy } from '../base/async/lazy.ts'
import type { MaybePromise } from '../base/async/maybePromise.ts'
import { TimeSlice } from '../base/threads/timeSlice.ts'
import type { Events, HeadChange } from '../chain/port/events.ts'
import type { SyncProgress } from '../chain/port/network.ts'
import type { PoolTransaction } from '../chain/port/pool.ts'
import { Emitter } from '../pool/emitter.ts'
import type { BlockStoreReader } from '../store/blockStoreReader.ts'

interface ChainEventMap {
  head: HeadChange
  pending: PoolTransaction
  syncing: SyncProgress | undefined
}

export interface ChainEventsDependencies {
  /** Calls the listener with each transaction that becomes executable, until the returned function is called. */
  readonly onPending: (listener: (transaction: PoolTransaction) => void) => () => void
  readonly syncing: () => MaybePromise<SyncProgress | undefined>
  readonly blocks: Pick<BlockStoreReader, 'receiptsJson'>
  /** Called with what a listener throws. */
  readonly onListenerError: (error: unknown) => void
}

/** The logs of a reverted block, each as JSON with `removed: true`. */
export interface RemovedLogs {
  readonly number: number
  readonly logs: readonly Uint8Array[]
}

/**
 * The interval at which the sync status is polled while there are listeners, because an engine does not announce its
 * changes.
 */
const syncIntervalMs = 2000

/** The events of a chain whose blocks are in the local store. */
export class ChainEvents implements Events {
  readonly #emitter: Emitter<ChainEventMap>
  readonly #dependencies: ChainEventsDependencies
  #headListeners = 0
  #syncListeners = 0
  #syncTimer: NodeJS.Timeout | undefined

  constructor(dependencies: ChainEventsDependencies) {
    this.#dependencies = dependencies
    this.#emitter = new Emitter(dependencies.onListenerError)
  }

  onHead(listener: (change: HeadChange) => void): () => void {
    this.#headListeners++
    const stop = this.#emitter.on('head', listener)
    return () => {
      this.#headListeners--
      stop()
    }
  }

  onPending(listener: (transaction: PoolTransaction) => void): () => void {
    return this.#dependencies.onPending(listener)
  }

  onSyncing(listener: (progress: SyncProgress | undefined) => void): () => void {
    const stop = this.#emitter.on('syncing', listener)
    if (++this.#syncListeners === 1) this.#watchSync()
    return () => {
      stop()
      if (--this.#syncListeners === 0) clearInterval(this.#syncTimer)
    }
  }

  /** Announces that the head moved from `before` to `now`, if it is higher. All blocks up to `now` must be readable. */
  emitExtended(before: number, now: number): void {
    if (now > before) this.#emitter.emit('head', { kind: 'extended', from: before + 1, to: now })
  }

  /** Announces a change that another process has told of. */
  relay(change: HeadChange): void {
    this.#emitter.emit('head', change)
  }

  /**
   * Reads the receipts of the blocks that will be reverted. Their logs are parsed if somebody asks for them. Call the
   * returned function after the revert to announce it.
   */
  async prepareRevert(head: number, to: number): Promise<() => void> {
    if (to >= head) return () => {}
    const removed = this.#headListeners > 0 ? await this.#readRemoved(head, to) : []
    return () => this.emitReverted(to, () => removed)
  }

  /** Announces that the blocks above `to` were reverted. */
  emitReverted(to: number, removedLogs: () => readonly RemovedLogs[]): void {
    this.#emitter.emit('head', { kind: 'reverted', to, removedLogs })
  }

  #watchSync(): void {
    let last: string | undefined
    const look = async (): Promise<void> => {
      try {
        const progress = await this.#dependencies.syncing()
        const now = JSON.stringify(progress ?? null)
        if (last !== undefined && now !== last) this.#emitter.emit('syncing', progress)
        last = now
      } catch {
        // The status is unchanged as long as the engine does not answer.
      }
    }
    void look()
    this.#syncTimer = setInterval(() => void look(), syncIntervalMs)
    this.#syncTimer.unref()
  }

  /** Blocks without logs are left out. */
  async #readRemoved(head: number, to: number): Promise<readonly RemovedLogs[]> {
    const removed: RemovedLogs[] = []
    const slice = new TimeSlice()
    for (let number = head; number > to; number--) {
      const text = this.#dependencies.blocks.receiptsJson(number)
      if (text !== undefined && hasLogs(text)) removed.push(removedBlock(number, text.slice()))
      if (slice.isOver) await slice.next()
    }
    return removed
  }
}

/** Receipts with a log have this, as the store writes them. */
const logsBegin = Buffer.from('"logs":[{')

const hasLogs = ({ buffer, byteOffset, length }: Uint8Array): boolean =>
  Buffer.from(buffer, byteOffset, length).includes(logsBegin)

/** Returns a reverted block whose logs are parsed when they are first looked at. */
const removedBlock = (number: number, receipts: Uint8Array): RemovedLogs => {
  const logs = lazy(() => toRemovedLogs(receipts))
  return {
    number,
    get logs() {
      return logs()
    },
  }
}

/** Returns the logs of the receipts of a reverted block. */
export const toRemovedLogs = (receipts: Uint8Array): readonly Uint8Array[] => {
  const list = JSON.parse(Buffer.from(receipts).toString()) as { logs: object[] }[] // written by the store
  return list.flatMap(({ logs }) => logs.map(toRemovedLog))
}

/** Returns the JSON of a log that is not part of the chain any more. */
export const toRemovedLog = (log: object): Uint8Array =>
  Buffer.from(JSON.stringify({ ...log, removed: true }))
