import type { Worker } from 'node:worker_threads'
import { startWorker } from '../../base/threads/builtFiles.ts'
import { createThreadClient, type ThreadClient } from '../../base/threads/threadRpc.ts'
import type { BlobSidecar } from '../../chain/transaction/transaction.ts'

/** The service of the sidecar worker. */
type SidecarService = { verify: (sidecar: BlobSidecar) => boolean }

interface Thread {
  readonly worker: Worker
  readonly calls: ThreadClient<SidecarService>
}

/**
 * Verifies the proofs of blobs off the main thread: one sidecar after the other, on a thread that starts with
 * the first one.
 */
export class SidecarVerification {
  readonly #maxWaiting: number
  #thread: Thread | undefined
  #waiting = 0
  #isClosed = false

  /**
   * Creates the verification; `maxWaiting` limits the sidecars without a result, each of up to a megabyte.
   */
  constructor(maxWaiting = 32) {
    this.#maxWaiting = maxWaiting
  }

  get waiting(): number {
    return this.#waiting
  }

  /** Verifies a sidecar. Returns undefined if no more can wait; with `isUnbounded` it may, however many do. */
  verify(sidecar: BlobSidecar, { isUnbounded = false } = {}): Promise<boolean> | undefined {
    if (this.#isClosed || (!isUnbounded && this.#waiting >= this.#maxWaiting)) return undefined
    this.#thread ??= this.#start()
    this.#waiting++
    return this.#thread.calls.verify(sidecar).finally(() => {
      this.#waiting--
    })
  }

  async close(): Promise<void> {
    this.#isClosed = true
    await this.#thread?.worker.terminate()
  }

  /**
   * Starts a thread. The sidecars of a thread that ends are rejected, and the next sidecar starts another.
   */
  #start(): Thread {
    const worker = startWorker('sidecar', { name: 'sidecar' })
    const thread = { worker, calls: createThreadClient<SidecarService>(worker) }
    worker.on('exit', () => {
      if (this.#thread === thread) this.#thread = undefined
    })
    return thread
  }
}
