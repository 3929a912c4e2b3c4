import type { Worker } from 'node:worker_threads'
import { startWorker } from '../../base/builtFiles.ts'
import type { Fork } from '../../chain/config/forks.ts'
import type { Signers, Submission } from '../types.ts'
import { decodeResponse, encodeRequest, recoverSigners } from './signerBatch.ts'

/**
 * Senders from signatures, off the main thread. What arrives within one turn of the event loop travels as one batch; a
 * lone transaction while nothing else is under way is recovered in place, which is faster than the way to the thread
 * and back. With one thread, answers come in the order of the questions.
 */

export interface RecoverySettings {
  readonly threads: number
  /** Transactions that may wait; past it `recover` refuses. */
  readonly maxWaiting: number
  readonly maxBatch: number
  /** Up to so many transactions of a turn are recovered in place when nothing is under way. */
  readonly maxInline: number
}

export const defaultRecoverySettings: RecoverySettings = {
  threads: 1,
  maxWaiting: 16_384,
  maxBatch: 256,
  maxInline: 1,
}

/** What recovery looks at. */
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

/** Batches on their way to one thread: one that it works on, one that waits there for it. */
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

  /** Transactions without an answer yet. */
  get waiting(): number {
    return this.#waiting.length + this.#inFlight
  }

  /** Undefined when no more can wait; the promise gives undefined for a signature that is nobody's. */
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
      for (const { submission, fork, resolve } of this.#waiting.splice(0))
        resolve(recoverSigners(submission.transaction, fork))
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
      const question = encodeRequest(
        fork,
        batch.map(({ submission }) => submission.raw),
      )
      thread.batches.push(batch)
      this.#inFlight += size
      thread.worker.ref()
      thread.worker.postMessage(question, [question])
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
    thread.worker.on('message', (answer: ArrayBuffer) => {
      const batch = thread.batches.shift() ?? []
      this.#inFlight -= batch.length
      if (thread.batches.length === 0) thread.worker.unref()
      this.#dispatch()
      const signers = decodeResponse(answer)
      for (const [index, { resolve }] of batch.entries()) resolve(signers[index])
    })
    thread.worker.on('error', (error) => this.#failThread(thread, error))
    thread.worker.on('exit', () => this.#failThread(thread, new Error('the recovery thread ended')))
    return thread
  }

  /** What the thread had is answered with the error; the next batch starts another thread. */
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
