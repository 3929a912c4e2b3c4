import { availableParallelism } from 'node:os'
import type { Worker } from 'node:worker_threads'
import { beginStage, endStage } from '../../base/profiling/stages.ts'
import { startWorker } from '../../base/threads/builtFiles.ts'
import type { Fork } from '../../chain/config/forks.ts'
import type { Signers, Submission } from '../types.ts'
import { countSignatures, decodeResponse, encodeRequest, recoverSigners } from './signerBatch.ts'

/**
 * Recovers senders from signatures, off the main thread. Transactions that arrive within one turn of the event loop belong
 * together: the first few are recovered on the main thread if nothing is in flight, because that is faster than a message
 * to the thread and back. Of the others each thread gets its share, and this one takes a few in each turn until none is
 * left, so that all end at about the same time. Results come in the order of the requests. All bounds count signatures,
 * because a set-code transaction can have thousands.
 */

export interface RecoverySettings {
  readonly threads: number
  /** The number of signatures that may wait; from there on `recover` returns undefined. */
  readonly maxWaiting: number
  /** The number of signatures of a message to the thread; a transaction with more is alone in its message. */
  readonly maxBatch: number
  /** The number of signatures that are recovered on this thread in one turn of the event loop. */
  readonly maxInline: number
}

const maxThreads = 4

export const defaultRecoverySettings: RecoverySettings = {
  // The main thread takes its share.
  threads: Math.min(maxThreads, Math.max(1, availableParallelism() - 1)),
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
  /** Resolves or rejects it; undefined while there is no result. */
  settle: (() => void) | undefined
}

interface Thread {
  readonly worker: Worker
  readonly batches: RecoveryRequest[][]
}

/** The batches in flight to one thread: the one that it works on, and the next. */
const maxBatchesUnderWay = 2
/** A message of fewer signatures costs more than they do. */
const minBatch = 8
/** So many have all threads work; for fewer none is started but the first. */
const worthAThread = 64

const signaturesIn = (batch: readonly RecoveryRequest[]): number =>
  batch.reduce((sum, { signatures }) => sum + signatures, 0)

export class SenderRecovery {
  readonly #settings: RecoverySettings
  readonly #threads: Thread[] = []
  /** The requests without a result or with one before them that has none, in their order. */
  readonly #unsettled: RecoveryRequest[] = []
  #unsettledSignatures = 0
  /** Those that no thread has yet. */
  readonly #waiting: RecoveryRequest[] = []
  #waitingSignatures = 0
  /** The signatures that the threads have. */
  #inFlight = 0
  #isScheduled = false
  #isClosed = false
  /** Called, in a turn of its own, when nothing waits any more. */
  onIdle: () => void = () => {}

  constructor(settings: RecoverySettings = defaultRecoverySettings) {
    this.#settings = settings
  }

  /** The number of signatures without a result yet. */
  get waiting(): number {
    return this.#unsettledSignatures
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
    const request = { submission, fork, isSenderOnly, signatures, resolve, reject, settle: undefined }
    this.#unsettled.push(request)
    this.#unsettledSignatures += signatures
    this.#waiting.push(request)
    this.#waitingSignatures += signatures
    this.#schedule()
    return promise
  }

  async close(): Promise<void> {
    this.#isClosed = true
    this.#fail(this.#take(this.#waiting.length), new Error('sender recovery is closed'))
    await Promise.all(this.#threads.map(({ worker }) => worker.terminate()))
  }

  #schedule(): void {
    if (this.#isScheduled) return
    this.#isScheduled = true
    setImmediate(() => this.#flushTurn())
  }

  #flushTurn(): void {
    this.#isScheduled = false
    const first = this.#inFlight === 0 ? this.#takeInline() : []
    this.#dispatch()
    // The threads have enough for now: this one takes what they do not.
    const inline = first.length > 0 ? first : this.#takeInline()
    if (inline.length === 0) return
    const begun = beginStage()
    for (const request of inline) {
      const { submission, fork, isSenderOnly, resolve } = request
      const signers = recoverSigners(submission.raw, fork, isSenderOnly)
      request.settle = () => resolve(signers)
    }
    endStage('recover', begun, inline.length)
    this.#settle()
    if (this.#waiting.length > 0) this.#schedule()
  }

  #takeInline(): RecoveryRequest[] {
    return this.#take(this.#countFirst(this.#settings.maxInline))
  }

  /** Hands out the results that have none missing before them. */
  #settle(): void {
    const open = this.#unsettled.findIndex(({ settle }) => settle === undefined)
    const settled = this.#unsettled.splice(0, open < 0 ? this.#unsettled.length : open)
    this.#unsettledSignatures -= signaturesIn(settled)
    for (const { settle } of settled) settle?.()
    if (open < 0 && settled.length > 0) setImmediate(() => this.#tellIdle())
  }

  #tellIdle(): void {
    if (this.#unsettled.length === 0) this.onIdle()
  }

  #fail(requests: readonly RecoveryRequest[], error: Error): void {
    for (const request of requests) request.settle = () => request.reject(error)
    this.#settle()
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

  /** How many of the signatures that wait each thread would get, this one among them. */
  get #share(): number {
    const isForAll = this.#waitingSignatures >= worthAThread
    const threads = isForAll ? this.#settings.threads : this.#threads.length
    return Math.ceil(this.#waitingSignatures / (threads + 1))
  }

  /** Takes the next batch: requests of one fork, at least one, and no more signatures than a batch may have, nor than its share. */
  #takeBatch(fork: Fork): RecoveryRequest[] {
    const most = Math.min(this.#settings.maxBatch, Math.max(minBatch, this.#share))
    return this.#take(Math.max(1, this.#countFirst(most, fork)))
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
    const isWorthIt = this.#threads.length === 0 || this.#waitingSignatures >= worthAThread
    if (isWorthIt && this.#threads.length < this.#settings.threads) return this.#start()
    // The last ones are for whoever is done first.
    if (this.#share < this.#settings.maxBatch) return undefined
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
      for (const [index, request] of batch.entries()) request.settle = () => request.resolve(signers[index])
      this.#settle()
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
      this.#fail(batch, error)
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
