import type { Worker } from 'node:worker_threads'
import { beginStage, endStage } from '../../base/profiling/stages.ts'
import { startWorker } from '../../base/threads/builtFiles.ts'
import type { Fork } from '../../chain/config/forks.ts'
import type { Signers, Submission } from '../types.ts'
import { countSignatures, decodeResponse, encodeRequest, recoverSigners } from './signerBatch.ts'

/**
 * Recovers senders from signatures, off the main thread. Transactions that arrive within one turn of the
 * event loop are one batch; if nothing is in flight the first few are recovered on the main thread, because that is faster
 * than a message to the thread and back, and this thread has nothing else to do for them while the other one works on the
 * rest. With one thread, results come in the order of the requests. All bounds count signatures, because a set-code transaction can have thousands.
 */

export interface RecoverySettings {
  readonly threads: number
  /** The number of signatures that may wait; from there on `recover` returns undefined. */
  readonly maxWaiting: number
  /** The number of signatures of a message to the thread; a transaction with more is alone in its message. */
  readonly maxBatch: number
  /**
   * The number of signatures per event-loop turn that are recovered on this thread if nothing is in flight.
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

interface RecoveryOptions {
  /** Whether the authorities are left out. */
  readonly isSenderOnly?: boolean
  /** Whether it may wait however many do. */
  readonly isUnbounded?: boolean
}

interface RecoveryRequest {
  readonly submission: SignedTransaction
  readonly fork: Fork
  readonly isSenderOnly: boolean
  readonly signatures: number
  readonly resolve: (signers: Signers | undefined) => void
  readonly reject: (error: Error) => void
}

interface Thread {
  readonly worker: Worker
  readonly batches: RecoveryRequest[][]
}

/** The batches in flight to one thread: one that it works on, and one that waits for it. */
const maxBatchesUnderWay = 2

const signaturesIn = (batch: readonly RecoveryRequest[]): number =>
  batch.reduce((sum, { signatures }) => sum + signatures, 0)

export class SenderRecovery {
  readonly #settings: RecoverySettings
  readonly #threads: Thread[] = []
  readonly #waiting: RecoveryRequest[] = []
  /** The signatures of `#waiting`. */
  #waitingSignatures = 0
  /** The signatures that the threads have. */
  #inFlight = 0
  #isScheduled = false
  #isClosed = false

  constructor(settings: RecoverySettings = defaultRecoverySettings) {
    this.#settings = settings
  }

  /** The number of signatures without a result yet. */
  get waiting(): number {
    return this.#waitingSignatures + this.#inFlight
  }

  /**
   * Recovers the signers. Returns undefined if no more can wait; the promise resolves with undefined for an
   * invalid signature.
   */
  recover(
    submission: SignedTransaction,
    fork: Fork,
    { isSenderOnly = false, isUnbounded = false }: RecoveryOptions = {},
  ): Promise<Signers | undefined> | undefined {
    if (this.#isClosed || (!isUnbounded && this.waiting >= this.#settings.maxWaiting)) return undefined
    const { promise, resolve, reject } = withResolvers<Signers | undefined>()
    const signatures = countSignatures(submission.transaction, isSenderOnly)
    this.#waiting.push({ submission, fork, isSenderOnly, signatures, resolve, reject })
    this.#waitingSignatures += signatures
    if (!this.#isScheduled) {
      this.#isScheduled = true
      setImmediate(() => this.#flushTurn())
    }
    return promise
  }

  async close(): Promise<void> {
    this.#isClosed = true
    for (const { reject } of this.#take(this.#waiting.length)) reject(new Error('sender recovery is closed'))
    await Promise.all(this.#threads.map(({ worker }) => worker.terminate()))
  }

  #flushTurn(): void {
    this.#isScheduled = false
    const inline = this.#inFlight === 0 ? this.#take(this.#countFirst(this.#settings.maxInline)) : []
    this.#dispatch()
    if (inline.length === 0) return
    const begun = beginStage()
    for (const { submission, fork, isSenderOnly, resolve } of inline)
      resolve(recoverSigners(submission.transaction, fork, isSenderOnly))
    endStage('recover', begun, inline.length)
  }

  /** Returns how many of those that wait, up to one of another fork, have together no more than these signatures. */
  #countFirst(most: number, fork?: Fork): number {
    let signatures = 0
    const end = this.#waiting.findIndex((item) => {
      signatures += item.signatures
      return signatures > most || (fork !== undefined && item.fork !== fork)
    })
    return end < 0 ? this.#waiting.length : end
  }

  #take(count: number): RecoveryRequest[] {
    const taken = this.#waiting.splice(0, count)
    this.#waitingSignatures -= signaturesIn(taken)
    return taken
  }

  /** Takes the next batch: requests of one fork, at least one, and no more signatures than a batch may have. */
  #takeBatch(fork: Fork): RecoveryRequest[] {
    return this.#take(Math.max(1, this.#countFirst(this.#settings.maxBatch, fork)))
  }

  #dispatch(): void {
    while (this.#waiting.length > 0 && !this.#isClosed) {
      const thread = this.#freeThread()
      if (thread === undefined) return
      const fork = (this.#waiting[0] as RecoveryRequest).fork
      const batch = this.#takeBatch(fork)
      const request = encodeRequest(
        fork,
        batch.map(({ submission, isSenderOnly }) => ({ raw: submission.raw, isSenderOnly })),
      )
      thread.batches.push(batch)
      this.#inFlight += signaturesIn(batch)
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
      this.#inFlight -= signaturesIn(batch)
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
      this.#inFlight -= signaturesIn(batch)
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
