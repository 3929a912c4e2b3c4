import { rmSync } from 'node:fs'
import type { Worker } from 'node:worker_threads'
import {
  loadChunk,
  loadSnapshot,
  loadSnapshots,
  removeSnapshot,
  type StoredSnapshot,
} from '../../../app/snapshot/folder.ts'
import { snapshotFormat } from '../../../app/snapshot/metadata.ts'
import { equalBytes } from '../../../base/encoding/bytes.ts'
import type { Logger } from '../../../base/logging/log.ts'
import { startWorker } from '../../../base/threads/builtFiles.ts'
import type { BlockStoreReader } from '../../../store/blockStoreReader.ts'
import type { SnapshotWorkerOptions } from './worker.ts'

export interface SnapshotOptions {
  /** The folder of the snapshots. */
  readonly folder: string
  /** The path of the data file. */
  readonly path: string
  /** A snapshot is created at each multiple of this height; 0 for none. */
  readonly interval: number
  /** The number of snapshots to keep. */
  readonly keep: number
}

export interface SnapshotDependencies {
  readonly blocks: BlockStoreReader
  readonly log: Logger
}

/** Creates snapshots of the local chain and serves them to other nodes. */
export class SnapshotService {
  readonly #options: SnapshotOptions
  readonly #log: Logger
  #stored: readonly StoredSnapshot[]
  #worker: Worker | undefined

  constructor(options: SnapshotOptions, { blocks, log }: SnapshotDependencies) {
    this.#options = options
    this.#log = log
    const found = loadSnapshots(options.folder)
    // A snapshot may be of a chain that was in this home before, or of a reverted block.
    const isSameChain = ({ height, metadata }: StoredSnapshot): boolean => {
      const hash = blocks.blockHashAt(height)
      return hash !== undefined && equalBytes(hash, metadata.blockHash)
    }
    for (const { height } of found.filter((snapshot) => !isSameChain(snapshot)))
      rmSync(`${options.folder}/${height}`, { recursive: true, force: true })
    this.#stored = found.filter(isSameChain)
  }

  /** Returns the snapshots, oldest first. */
  list(): readonly StoredSnapshot[] {
    return this.#stored
  }

  async chunk(height: number, format: number, index: number): Promise<Uint8Array | undefined> {
    const found = this.#stored.find((snapshot) => snapshot.height === height)
    if (found === undefined || format !== snapshotFormat) return undefined
    return loadChunk(this.#options.folder, found, index)
  }

  /**
   * Returns the height of the oldest snapshot, from which on peers may need the engine's blocks; undefined if there is
   * none.
   */
  oldestHeight(): number | undefined {
    return this.#stored[0]?.height
  }

  /** Called when a block is committed. Starts a snapshot in the background if the interval has passed. */
  onCommitted(height: number): void {
    const { interval } = this.#options
    if (interval === 0 || height % interval !== 0) return
    if (this.#worker !== undefined) {
      this.#log.warn({ height }, 'snapshot skipped: the previous one is still in progress')
      return
    }
    this.#create(height)
  }

  async close(): Promise<void> {
    await this.#worker?.terminate()
  }

  #create(height: number): void {
    const { path, folder } = this.#options
    const startedAt = performance.now()
    const work: SnapshotWorkerOptions = { path, folder, height }
    const worker = startWorker('snapshot', { name: 'snapshot', workerData: work })
    this.#worker = worker
    worker.once('error', (error) => this.#log.warn({ err: error, height }, 'snapshot failed'))
    worker.once('exit', (code) => {
      this.#worker = undefined
      if (code === 0) void this.#onCreated(height, performance.now() - startedAt)
    })
  }

  async #onCreated(height: number, milliseconds: number): Promise<void> {
    const { folder, keep } = this.#options
    const created = loadSnapshot(folder, height)
    if (created === undefined) return
    const all = [...this.#stored.filter((snapshot) => snapshot.height !== height), created]
    const old = all.slice(0, Math.max(0, all.length - keep))
    this.#stored = all.slice(old.length)
    this.#log.info(
      { height, chunks: created.ends.length, bytes: created.ends.at(-1) ?? 0, ms: Math.round(milliseconds) },
      'snapshot created',
    )
    try {
      for (const snapshot of old) await removeSnapshot(folder, snapshot.height)
    } catch (error) {
      this.#log.warn({ err: error }, 'an old snapshot cannot be removed')
    }
  }
}
