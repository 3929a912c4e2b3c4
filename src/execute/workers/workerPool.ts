import type { Worker } from 'node:worker_threads'
import { startWorker } from '../../base/builtFiles.ts'
import { errorCode } from '../../base/files.ts'
import { type EndOfWait, noWaits, type WaitRecorder } from '../../base/profiling/lockWaits.ts'
import { callThread, type ThreadClient, ThreadError } from '../../base/threadCalls.ts'
import {
  ChainError,
  type ChainErrorKind,
  limitExceeded,
  refused,
  unavailable,
} from '../../chain/chainError.ts'
import { callOutOfMemory, callTimedOut } from '../../chain/state/refusals.ts'
import type { Task, TaskKind, TaskKinds } from '../call/task.ts'
import type { TraceAnswer, TraceTask } from '../trace/task.ts'
import type { CallWorkerOptions } from './callService.ts'

/** `long`: tasks of many executions. They never have all workers, so that a call finds one soon. */
export type WorkClass = 'call' | 'long'

export interface WorkerPoolOptions {
  readonly workers: number
  /** Tasks that may wait; one more is refused. */
  readonly maxWaiting: number
  /** The heap of each worker. The machine bounds its own memory beside it. */
  readonly memoryMegabytes: number
  readonly timeoutMs: number
  /** How long a worker may go on after it should have stopped by itself. */
  readonly graceMs: number
}

export interface WorkerStats {
  readonly workers: number
  readonly busy: number
  readonly waiting: number
  /** Workers that died or were ended since the start. */
  readonly replaced: number
}

/** What holds for one task in place of what holds for all. */
export interface JobTerms {
  readonly timeoutMs: number
  /** How long the worker may go on after that. */
  readonly graceMs: number
  readonly timeoutError: ChainError
  /** The worker ends with the task: nothing of it is there for the next. */
  readonly isLast: boolean
}

interface Job {
  readonly task: Task | TraceTask
  readonly workClass: WorkClass
  readonly terms: JobTerms
  readonly signal: AbortSignal
  readonly resolve: (answer: never) => void
  readonly reject: (error: Error) => void
  /** Ends what holds on to the job: timers and the listener on its signal. */
  readonly releases: (() => void)[]
  /** Set while it waits for a thread. */
  endWait: EndOfWait | undefined
}

interface Thread {
  readonly worker: Worker
  readonly calls: ThreadClient<CallThreadService>
  readonly cancelled: Int32Array
  isReady: boolean
  job: Job | undefined
}

/** What `callWorker.ts` serves. */
type CallThreadService = {
  ready: () => void
  run: (task: Task | TraceTask, timeoutMs: number) => TaskKinds[TaskKind]['answer'] | TraceAnswer
}

/** Threads for calls that are too long for the main thread. They start when they are needed, and stay. */
export class WorkerPool {
  readonly #options: WorkerPoolOptions
  readonly #workerOptions: Omit<CallWorkerOptions, 'cancelled'>
  readonly #waits: WaitRecorder
  readonly #permits: Readonly<Record<WorkClass, number>>
  readonly #threads = new Set<Thread>()
  readonly #waiting: Job[] = []
  #replaced = 0
  #isClosed = false

  constructor(
    options: WorkerPoolOptions,
    workerOptions: Omit<CallWorkerOptions, 'cancelled'>,
    waits: WaitRecorder = noWaits,
  ) {
    this.#options = options
    this.#waits = waits
    this.#workerOptions = workerOptions
    this.#permits = { call: options.workers, long: Math.max(1, options.workers - 1) }
  }

  stats(): WorkerStats {
    let busy = 0
    for (const { job } of this.#threads) if (job !== undefined) busy++
    return { workers: this.#threads.size, busy, waiting: this.#waiting.length, replaced: this.#replaced }
  }

  /** Rejects with a `ChainError`: what the task threw, time or memory used up, or too many in front of it. */
  run<Kind extends TaskKind>(
    task: Task<Kind>,
    workClass: WorkClass,
    signal: AbortSignal,
  ): Promise<TaskKinds[Kind]['answer']> {
    const { timeoutMs, graceMs } = this.#options
    const terms = { timeoutMs, graceMs, timeoutError: callTimedOut(timeoutMs), isLast: false }
    return this.#submit(task, workClass, signal, terms)
  }

  /** The same for a trace, on terms of its own. */
  trace(task: TraceTask, signal: AbortSignal, terms: JobTerms): Promise<TraceAnswer> {
    return this.#submit(task, 'call', signal, terms)
  }

  #submit<Answer>(
    task: Job['task'],
    workClass: WorkClass,
    signal: AbortSignal,
    terms: JobTerms,
  ): Promise<Answer> {
    return new Promise((resolve, reject) => {
      if (this.#isClosed) return reject(stoppingError())
      if (signal.aborted) return reject(goneError())
      if (this.#waiting.length >= this.#options.maxWaiting) {
        const why = `too many calls wait for a worker: at most ${this.#options.maxWaiting} (json-rpc.call-queue)`
        return reject(limitExceeded(why))
      }
      // The answer is of the task's kind, which the worker looked at.
      const settled = { resolve: resolve as Job['resolve'], reject }
      const job: Job = { task, workClass, signal, terms, ...settled, releases: [], endWait: undefined }
      const leave = (): void => this.#leave(job)
      signal.addEventListener('abort', leave, { once: true })
      job.releases.push(() => signal.removeEventListener('abort', leave))
      this.#waiting.push(job)
      this.#pump()
      if (this.#waiting.at(-1) === job) job.endWait = this.#waits.begin(`permit of a worker: ${workClass}`)
    })
  }

  async close(): Promise<void> {
    this.#isClosed = true
    for (const job of this.#waiting.splice(0)) settle(job).reject(stoppingError())
    await Promise.all([...this.#threads].map(({ worker }) => worker.terminate()))
  }

  /** The client went away while its task waited. */
  #leave(job: Job): void {
    const index = this.#waiting.indexOf(job)
    if (index < 0) return
    this.#waiting.splice(index, 1)
    settle(job).reject(goneError())
  }

  #pump(): void {
    if (this.#isClosed) return
    for (;;) {
      const index = this.#waiting.findIndex(({ workClass }) => this.#isPermitted(workClass))
      if (index < 0) return
      const thread = this.#idleThread()
      if (thread === undefined) break
      this.#begin(thread, this.#waiting.splice(index, 1)[0] as Job)
    }
    let starting = 0
    for (const { isReady } of this.#threads) if (!isReady) starting++
    if (this.#threads.size < this.#options.workers && starting < this.#waiting.length) this.#start()
  }

  #isPermitted(workClass: WorkClass): boolean {
    let running = 0
    for (const { job } of this.#threads) if (job?.workClass === workClass) running++
    return running < this.#permits[workClass]
  }

  #idleThread(): Thread | undefined {
    for (const thread of this.#threads) if (thread.isReady && thread.job === undefined) return thread
    return undefined
  }

  #start(): void {
    const cancelled = new Int32Array(new SharedArrayBuffer(4))
    const worker = startWorker('call', {
      name: 'call',
      workerData: { ...this.#workerOptions, cancelled } satisfies CallWorkerOptions,
      resourceLimits: { maxOldGenerationSizeMb: this.#options.memoryMegabytes },
    })
    const calls = callThread<CallThreadService>(worker)
    const thread: Thread = { worker, calls, cancelled, isReady: false, job: undefined }
    this.#threads.add(thread)
    worker.on('error', (error) => this.#lose(thread, explainDeath(error)))
    worker.on('exit', () => this.#lose(thread, unavailable('the worker of the call ended')))
    const onReady = (): void => {
      thread.isReady = true
      this.#pump()
    }
    calls.ready().then(onReady, (error: Error) => this.#failStart(thread, error))
  }

  /** Without a worker nobody would ever answer those who wait. */
  #failStart(thread: Thread, error: Error): void {
    this.#lose(thread, error)
    if (this.#threads.size === 0) for (const job of this.#waiting.splice(0)) settle(job).reject(error)
  }

  #begin(thread: Thread, job: Job): void {
    const { timeoutMs, graceMs } = job.terms
    thread.job = job
    job.endWait?.()
    Atomics.store(thread.cancelled, 0, 0)
    const endAfter = (ms: number, error: ChainError): void => {
      const timer = setTimeout(() => this.#lose(thread, error), ms)
      job.releases.push(() => clearTimeout(timer))
    }
    endAfter(timeoutMs + graceMs, job.terms.timeoutError)
    const cancel = (): void => {
      Atomics.store(thread.cancelled, 0, 1)
      endAfter(graceMs, goneError())
    }
    job.signal.addEventListener('abort', cancel, { once: true })
    job.releases.push(() => job.signal.removeEventListener('abort', cancel))
    thread.calls.run(job.task, timeoutMs).then(
      (answer) => {
        if (thread.job === job) this.#finish(thread, () => job.resolve(answer as never))
      },
      (error: unknown) => {
        // Anything else means the thread's end, which is dealt with where it is seen.
        if (thread.job === job && error instanceof ThreadError)
          this.#finish(thread, () => job.reject(toChainError(error, job.terms.timeoutError)))
      },
    )
  }

  #finish(thread: Thread, answer: () => void): void {
    const { job } = thread
    if (job !== undefined) settle(job)
    thread.job = undefined
    answer()
    if (job?.terms.isLast === true) this.#end(thread)
    this.#pump()
  }

  /** The thread has served its purpose. */
  #end(thread: Thread): void {
    this.#threads.delete(thread)
    void thread.worker.terminate()
  }

  /** The thread is of no more use: its job gets the error, and the next task starts another thread. */
  #lose(thread: Thread, error: Error): void {
    if (!this.#threads.delete(thread)) return
    if (!this.#isClosed) this.#replaced++
    const { job } = thread
    thread.job = undefined
    void thread.worker.terminate()
    if (job !== undefined) settle(job).reject(error)
    this.#pump()
  }
}

const settle = (job: Job): Job => {
  for (const release of job.releases.splice(0)) release()
  job.endWait?.()
  return job
}

const stoppingError = (): ChainError => unavailable('the node is stopping')

const goneError = (): ChainError => unavailable('the call was given up: nobody waits for it')

const explainDeath = (error: Error): Error =>
  errorCode(error) === 'ERR_WORKER_OUT_OF_MEMORY' ? callOutOfMemory() : error

/** What was thrown in the worker, as if it had been thrown here. */
const toChainError = (error: ThreadError, timeout: ChainError): Error => {
  const { thrownName, details, message } = error
  if (thrownName === 'ChainError') return new ChainError(details.kind as ChainErrorKind, message)
  if (thrownName === 'TraceError') return refused(message)
  if (thrownName !== 'InterruptedError') return error
  return details.reason === 'memory limit' ? callOutOfMemory() : timeout
}
