import type { Worker } from 'node:worker_threads'
import { beginStage, endStage } from '../../base/profiling/stages.ts'
import { startWorker } from '../../base/threads/builtFiles.ts'
import type { Fork } from '../../chain/config/forks.ts'
import type { Signers, Submission } from '../types.ts'
import { decodeResponse, encodeRequest, recoverSigners } from './signerBatch.ts'

/**
 * Recovers senders from signatures, off the main thread. Transactions that arrive within one turn of the
 * event loop are one batch; a single transaction is recovered on the main thread if nothing is in flight,
 * because that is faster than a message to the thread and back. With one thread, results come in the order of
 * the requests.
 */

export interface RecoverySettings {
  readonly threads: number
  /** The number of transactions that may wait; beyond it `recover` returns undefined. */
  readonly maxWaiting: number
  readonly maxBatch: number
  /**
   * The number of transactions per event-loop turn that are recovered on this thread if nothing is in flight.
   */
  readonly maxInline: number
}

export const defaultRecoverySettings: RecoverySettings = {
  threads: 1,
  maxWaiting: 16_384,
  maxBatch: 256,
  maxInline: 8,
}

/** The part of a submission that recovery needs. */
type SignedTransaction = Pick<Submission, 'transaction' | 'raw'>

interface RecoveryRequest {
  readonly submission: SignedTransaction
  readonly fork: Fork
  readonly resolve: (signers: Signers | undefined) => void
  readonly reject: (error: Error) => void
}

interface Thread {
  readonly worker: Worker
  readonly batches: RecoveryRequest[][]
}

/** The batches in flight to one thread: one that it works on, and one that waits for it. */
const maxBatchesUnderWay = 2

export class SenderRecovery {
  readonly #settings: RecoverySettings
  readonly #threads: Thread[] = []
  readonly #waiting: RecoveryRequest[] = []
  #inFlight = 0
  #isScheduled = false
  #isClosed = false

  constructor(settings: RecoverySettings = defaultRecoverySettings) {
    this.#settings = settings
  }

  /** The number of transactions without a result yet. */
  get waiting(): number {
    return this.#waiting.length + this.#inFlight
  }

  /**
   * Recovers the signers. Returns undefined if no more can wait; the promise resolves with undefined for an
   * invalid signature.
   */
  recover(submission: SignedTransaction, fork: Fork): Promise<Signers | undefined> | undefined {
    if (this.#isClosed || this.waiting >= this.#settings.maxWaiting) return undefined
    const { promise, resolve, reject } = withResolvers<Signers | undefined>()
    this.#waiting.push({ submission, fork, resolve, reject })
    if (!this.#isScheduled) {
      this.#isScheduled = true
      setImmediate(() => this.#flushTurn())
    }
    return promise
  }

  async close(): Promise<void> {
    this.#isClosed = true
    for (const { reject } of this.#waiting.splice(0)) reject(new Error('sender recovery is closed'))
    await Promise.all(this.#threads.map(({ worker }) => worker.terminate()))
  }

  #flushTurn(): void {
    this.#isScheduled = false
    if (this.#inFlight === 0 && this.#waiting.length <= this.#settings.maxInline) {
      const begun = beginStage()
      const count = this.#waiting.length
      for (const { submission, fork, resolve } of this.#waiting.splice(0))
        resolve(recoverSigners(submission.transaction, fork))
      endStage('recover', begun, count)
    } else this.#dispatch()
  }

  #dispatch(): void {
    while (this.#waiting.length > 0 && !this.#isClosed) {
      const thread = this.#freeThread()
      if (thread === undefined) return
      const fork = (this.#waiting[0] as RecoveryRequest).fork
      const other = this.#waiting.findIndex((item) => item.fork !== fork)
      const size = Math.min(other < 0 ? this.#waiting.length : other, this.#settings.maxBatch)
      const batch = this.#waiting.splice(0, size)
      const request = encodeRequest(
        fork,
        batch.map(({ submission }) => submission.raw),
      )
      thread.batches.push(batch)
      this.#inFlight += size
      thread.worker.ref()
      thread.worker.postMessage(request, [request])
    }
  }

  #freeThread(): Thread | undefined {
    const free = this.#threads.find(({ batches }) => batches.length === 0)
    if (free) return free
    if (this.#threads.length < this.#settings.threads) return this.#start()
    return this.#threads.find(({ batches }) => batches.length < maxBatchesUnderWay)
  }

  #start(): Thread {
    const thread: Thread = { worker: startWorker('recovery', { name: 'recovery' }), batches: [] }
    this.#threads.push(thread)
    thread.worker.on('message', (response: ArrayBuffer) => {
      const batch = thread.batches.shift() ?? []
      this.#inFlight -= batch.length
      if (thread.batches.length === 0) thread.worker.unref()
      this.#dispatch()
      const signers = decodeResponse(response)
      for (const [index, { resolve }] of batch.entries()) resolve(signers[index])
    })
    thread.worker.on('error', (error) => this.#failThread(thread, error))
    thread.worker.on('exit', () => this.#failThread(thread, new Error('the recovery thread ended')))
    return thread
  }

  /** Rejects the thread's batches with the error. The next batch starts another thread. */
  #failThread(thread: Thread, error: Error): void {
    const index = this.#threads.indexOf(thread)
    if (index < 0) return
    this.#threads.splice(index, 1)
    for (const batch of thread.batches.splice(0)) {
      this.#inFlight -= batch.length
      for (const { reject } of batch) reject(error)
    }
    this.#dispatch()
  }
}

const withResolvers = <T>() => {
  let resolve: (value: T) => void = () => {}
  let reject: (error: Error) => void = () => {}
  const promise = new Promise<T>((onValue, onError) => {
    resolve = onValue
    reject = onError
  })
  return { promise, resolve, reject }
}
