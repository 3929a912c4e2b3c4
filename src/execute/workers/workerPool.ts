import { setTimeout as sleep } from 'node:timers/promises'
import type { Worker } from 'node:worker_threads'
import { errorCode } from '../../base/files/writeAll.ts'
import { type EndWait, type LockWaitRecorder, noopWaitRecorder } from '../../base/profiling/lockWaitStats.ts'
import { startWorker, type WorkerName } from '../../base/threads/builtFiles.ts'
import { hasManyMembers, packValue } from '../../base/threads/packedValue.ts'
import { createThreadClient, type ThreadClient, ThreadError } from '../../base/threads/threadRpc.ts'
import { newLongSlice, runInSlices } from '../../base/threads/timeSlice.ts'
import {
  type ChainError,
  limitExceeded,
  refused,
  toThrownChainError,
  unavailable,
} from '../../chain/chainError.ts'
import { callCancelled, callOutOfMemory, callTimedOut } from '../../chain/state/callErrors.ts'
import type { Task, TaskKind, TaskKinds } from '../tasks/task.ts'
import type { TraceTask, TraceTaskResult } from '../trace/traceTask.ts'
import type { CallWorkerOptions } from './callService.ts'

/** `long` is for tasks of many executions. They never occupy all workers, so that a call finds one soon. */
export type TaskClass = 'call' | 'long'

export interface WorkerPoolOptions {
  readonly workers: number
  /** The tasks that may wait while all workers are busy, how long, and the setting of that. More are rejected. */
  readonly queue: { readonly size: number; readonly waitMs: number; readonly setting: string }
  /** The heap of each worker. The EVM limits its memory separately. */
  readonly memoryMegabytes: number
  readonly timeoutMs: number
  /** How long a worker may continue after its deadline before it is terminated. */
  readonly graceMs: number
}

/** What a pool does for its threads beyond running tasks. */
export interface WorkerHooks {
  /** Called with each thread that was started. */
  readonly onWorker?: (worker: Worker) => void
  /** Returns how long a thread has waited for this one so far, which does not count as the time of its tasks. */
  readonly waitedMs?: (worker: Worker) => number
}

export interface WorkerStats {
  readonly workers: number
  readonly busy: number
  readonly waiting: number
  /** The number of workers that died or were terminated since the start. */
  readonly replaced: number
}

/** Options of one job that replace the pool's. */
export interface JobOptions {
  readonly timeoutMs: number
  /** How long the worker may continue after the timeout. */
  readonly graceMs: number
  readonly timeoutError: ChainError
  /** Whether the worker is terminated after the task, so that nothing of it remains for the next one. */
  readonly endsWorker: boolean
}

interface Job {
  readonly task: object
  readonly workClass: TaskClass
  readonly jobOptions: JobOptions
  readonly signal: AbortSignal
  readonly resolve: (result: never) => void
  readonly reject: (error: Error) => void
  /** Functions that clear the timers and the abort listener of the job. */
  readonly cleanups: (() => void)[]
  /** Set while the job waits for a thread. */
  endWait: EndWait | undefined
}

interface Thread {
  readonly worker: Worker
  readonly calls: ThreadClient<CallThreadService>
  readonly cancelled: Int32Array
  /** Resolves when it has loaded its code, or cannot. */
  readonly loaded: Promise<void>
  isReady: boolean
  job: Job | undefined
}

/** The service of `callWorker.ts`, or of another kind of workers. A large task is packed. */
type CallThreadService = {
  ready: () => void
  run: (task: object, timeoutMs: number) => unknown
}

/** The members of a task from which on it is packed: a clone of as many takes a millisecond. */
const largeTask = 256

/** Threads for calls that are too long for the main thread. They start when needed and keep running. */
export class WorkerPool<Options extends object = Omit<CallWorkerOptions, 'cancelled'>> {
  readonly #options: WorkerPoolOptions
  readonly #kind: WorkerName
  #workerOptions: Options
  readonly #waits: LockWaitRecorder
  readonly #hooks: WorkerHooks
  readonly #permits: Readonly<Record<TaskClass, number>>
  readonly #threads = new Set<Thread>()
  readonly #waiting: Job[] = []
  #replaced = 0
  #isClosed = false

  constructor(
    options: WorkerPoolOptions,
    workerOptions: Options,
    waits: LockWaitRecorder = noopWaitRecorder,
    hooks: WorkerHooks = {},
    kind: WorkerName = 'call',
  ) {
    this.#options = options
    this.#kind = kind
    this.#hooks = hooks
    this.#waits = waits
    this.#workerOptions = workerOptions
    this.#permits = { call: options.workers, long: Math.max(1, options.workers - 1) }
  }

  stats(): WorkerStats {
    let busy = 0
    for (const { job } of this.#threads) if (job !== undefined) busy++
    return { workers: this.#threads.size, busy, waiting: this.#waiting.length, replaced: this.#replaced }
  }

  /**
   * Runs a task. Rejects with a `ChainError` if the task threw one, used up its time or memory, or too many tasks wait.
   */
  run<Kind extends TaskKind>(
    task: Task<Kind>,
    workClass: TaskClass,
    signal: AbortSignal,
  ): Promise<TaskKinds[Kind]['result']> {
    return this.runOther(task, workClass, signal)
  }

  /** Runs a task that the pool's kind of workers knows, as `run` does. */
  runOther<Result>(task: object, workClass: TaskClass, signal: AbortSignal): Promise<Result> {
    const { timeoutMs, graceMs } = this.#options
    const jobOptions = {
      timeoutMs,
      graceMs,
      // Made when it is needed: an error has a stack, which takes longer than to hand the task over.
      get timeoutError() {
        return callTimedOut(timeoutMs)
      },
      endsWorker: false,
    }
    return this.#submit(task, workClass, signal, jobOptions)
  }

  /** Runs a trace with options of its task. */
  trace(
    task: TraceTask,
    signal: AbortSignal,
    jobOptions: JobOptions,
    workClass: TaskClass = 'call',
  ): Promise<TraceTaskResult> {
    return this.#submit(task, workClass, signal, jobOptions)
  }

  #submit<Result>(
    task: Job['task'],
    workClass: TaskClass,
    signal: AbortSignal,
    jobOptions: JobOptions,
  ): Promise<Result> {
    return new Promise((resolve, reject) => {
      if (this.#isClosed) return reject(stoppingError())
      if (signal.aborted) return reject(callCancelled())
      const { size, waitMs, setting } = this.#options.queue
      // Those that a free worker takes next do not wait, even if it must start first.
      if (this.#waiting.length - this.#freeFor(workClass) >= size)
        return reject(limitExceeded(`too many calls wait for a worker: at most ${size} (${setting})`))
      // The worker returns the result type of the task's kind.
      const settled = { resolve: resolve as Job['resolve'], reject }
      const job: Job = {
        task,
        workClass,
        signal,
        jobOptions,
        ...settled,
        cleanups: [],
        endWait: undefined,
      }
      const leave = (): void => this.#cancelWaiting(job, callCancelled())
      signal.addEventListener('abort', leave, { once: true })
      job.cleanups.push(() => signal.removeEventListener('abort', leave))
      this.#waiting.push(job)
      this.#dispatch()
      if (this.#waiting.at(-1) !== job) return
      const endWait = this.#waits.startWait(`permit of a worker: ${workClass}`)
      const why = `too many calls: this one has waited for ${waitMs} ms (json-rpc.queue-timeout, ${setting})`
      const timer = setTimeout(() => this.#cancelWaiting(job, limitExceeded(why)), waitMs)
      job.endWait = () => {
        clearTimeout(timer)
        endWait()
      }
    })
  }

  /** Runs later tasks on threads with other options: those of another chain. What runs now fails. */
  replaceThreads(changed: Partial<Options>): void {
    this.#workerOptions = { ...this.#workerOptions, ...changed }
    for (const thread of [...this.#threads]) this.#failThread(thread, unavailable('the chain was reset'))
  }

  /** Ends everything at once: what waits and what runs is rejected. It may be called again, to wait for the threads. */
  async close(): Promise<void> {
    this.#isClosed = true
    for (const job of this.#waiting.splice(0)) settle(job).reject(stoppingError())
    for (const thread of this.#threads) {
      const { job } = thread
      thread.job = undefined
      if (job !== undefined) settle(job).reject(stoppingError())
    }
    await Promise.all([...this.#threads].map(endThread))
  }

  /** Removes a waiting job: its client disconnected, or it has waited too long. */
  #cancelWaiting(job: Job, error: ChainError): void {
    const index = this.#waiting.indexOf(job)
    if (index < 0) return
    this.#waiting.splice(index, 1)
    settle(job).reject(error)
  }

  #dispatch(): void {
    if (this.#isClosed) return
    for (;;) {
      const index = this.#waiting.findIndex(({ workClass }) => this.#isPermitted(workClass))
      if (index < 0) return
      const thread = this.#idleThread()
      if (thread === undefined) break
      this.#startJob(thread, this.#waiting.splice(index, 1)[0] as Job)
    }
    let starting = 0
    for (const { isReady } of this.#threads) if (!isReady) starting++
    if (this.#threads.size < this.#options.workers && starting < this.#waiting.length) this.#start()
  }

  #isPermitted(workClass: TaskClass): boolean {
    return this.#running(workClass) < this.#permits[workClass]
  }

  /** Returns the number of tasks of a class that run. */
  #running(workClass: TaskClass): number {
    let running = 0
    for (const { job } of this.#threads) if (job?.workClass === workClass) running++
    return running
  }

  /** Returns the number of workers that could take tasks of a class; those that do not run yet can be started. */
  #freeFor(workClass: TaskClass): number {
    let busy = 0
    for (const { job } of this.#threads) if (job !== undefined) busy++
    return Math.min(this.#options.workers - busy, this.#permits[workClass] - this.#running(workClass))
  }

  #idleThread(): Thread | undefined {
    for (const thread of this.#threads) if (thread.isReady && thread.job === undefined) return thread
    return undefined
  }

  #start(): void {
    const cancelled = new Int32Array(new SharedArrayBuffer(4))
    const worker = this.#startWorker(cancelled)
    if (worker === undefined) return
    const calls = createThreadClient<CallThreadService>(worker)
    this.#hooks.onWorker?.(worker)
    const started = calls.ready()
    const loaded = started.catch(() => {})
    const thread: Thread = { worker, calls, cancelled, loaded, isReady: false, job: undefined }
    this.#threads.add(thread)
    worker.on('error', (error) => this.#onEnded(thread, toExitError(error)))
    worker.on('exit', () => this.#onEnded(thread, unavailable('the worker of the call ended')))
    const onReady = (): void => {
      thread.isReady = true
      this.#dispatch()
    }
    started.then(onReady, (error: Error) => this.#onEnded(thread, error))
  }

  #onEnded(thread: Thread, error: Error): void {
    // A thread that could not even start would be followed by others that cannot.
    const isUseless = this.#threads.has(thread) && this.#threads.size === 1 && !thread.isReady
    if (isUseless) this.#failWaiting(error)
    this.#failThread(thread, error)
  }

  /** The system may reject another thread. */
  #startWorker(cancelled: Int32Array): Worker | undefined {
    try {
      return startWorker(this.#kind, {
        name: this.#kind,
        workerData: { ...this.#workerOptions, cancelled },
        resourceLimits: { maxOldGenerationSizeMb: this.#options.memoryMegabytes },
      })
    } catch (error) {
      const { message } = error as Error // thrown by Node
      // Where there are others, what waits has them.
      if (this.#threads.size === 0) this.#failWaiting(unavailable(`no worker could be started: ${message}`))
      return undefined
    }
  }

  #failWaiting(error: Error): void {
    for (const job of this.#waiting.splice(0)) settle(job).reject(error)
  }

  #startJob(thread: Thread, job: Job): void {
    thread.job = job
    job.endWait?.()
    Atomics.store(thread.cancelled, 0, 0)
    if (hasManyMembers(job.task, largeTask))
      this.#packJob(thread, job).catch((error: Error) => this.#failThread(thread, error))
    else this.#postJob(thread, job, job.task)
  }

  /** Packs a large task in slices before it is posted. It has its thread meanwhile, so that few are packed at a time. */
  async #packJob(thread: Thread, job: Job): Promise<void> {
    const isUnwanted = (): boolean => thread.job !== job || job.signal.aborted
    const packed = await runInSlices(packValue(job.task), newLongSlice(), isUnwanted)
    if (thread.job !== job) return
    if (packed === undefined || job.signal.aborted)
      return this.#finish(thread, () => job.reject(callCancelled()))
    this.#postJob(thread, job, packed)
  }

  #postJob(thread: Thread, job: Job, task: object): void {
    const { timeoutMs, graceMs } = job.jobOptions
    const endAfter = (ms: number, error: ChainError): void => {
      const timer = setTimeout(() => this.#failThread(thread, error), ms)
      job.cleanups.push(() => clearTimeout(timer))
    }
    this.#endJobAfter(thread, job, timeoutMs + graceMs, this.#waitedMs(thread))
    const cancel = (): void => {
      Atomics.store(thread.cancelled, 0, 1)
      endAfter(graceMs, callCancelled())
    }
    job.signal.addEventListener('abort', cancel, { once: true })
    job.cleanups.push(() => job.signal.removeEventListener('abort', cancel))
    thread.calls.run(task, timeoutMs).then(
      (result) => {
        if (thread.job === job) this.#finish(thread, () => job.resolve(result as never))
      },
      (error: unknown) => {
        // Any other error means that the thread ended, which its event handlers deal with.
        if (thread.job === job && error instanceof ThreadError)
          this.#finish(thread, () => job.reject(toChainError(error, job.jobOptions.timeoutError)))
      },
    )
  }

  #waitedMs({ worker }: Thread): number {
    return this.#hooks.waitedMs?.(worker) ?? 0
  }

  /** Terminates a thread whose job takes too long; what it waits for this one meanwhile is added to its time. */
  #endJobAfter(thread: Thread, job: Job, ms: number, waitedBefore: number): void {
    const timer = setTimeout(() => {
      const waited = this.#waitedMs(thread)
      if (waited > waitedBefore) this.#endJobAfter(thread, job, waited - waitedBefore, waited)
      else this.#failThread(thread, job.jobOptions.timeoutError)
    }, ms)
    job.cleanups.push(() => clearTimeout(timer))
  }

  #finish(thread: Thread, respond: () => void): void {
    const { job } = thread
    if (job !== undefined) settle(job)
    thread.job = undefined
    respond()
    if (job?.jobOptions.endsWorker === true) this.#terminate(thread)
    this.#dispatch()
  }

  /** Terminates a thread that is not needed any more. */
  #terminate(thread: Thread): void {
    this.#threads.delete(thread)
    void endThread(thread)
  }

  /** Removes a thread that failed: its job gets the error, and the next task starts another thread. */
  #failThread(thread: Thread, error: Error): void {
    if (!this.#threads.delete(thread)) return
    if (!this.#isClosed) this.#replaced++
    const { job } = thread
    thread.job = undefined
    void endThread(thread)
    if (job !== undefined) settle(job).reject(error)
    this.#dispatch()
  }
}

/** The longest that a thread may load before it is ended all the same. */
const maxLoadMs = 10_000

/** Ends a thread, but not while it loads its code: native packages abort the process if their thread goes away then. */
const endThread = async ({ worker, loaded }: Thread): Promise<void> => {
  const limit = new AbortController()
  await Promise.race([loaded, sleep(maxLoadMs, undefined, { signal: limit.signal }).catch(() => {})])
  limit.abort()
  await worker.terminate()
}

const settle = (job: Job): Job => {
  for (const release of job.cleanups.splice(0)) release()
  job.endWait?.()
  return job
}

const stoppingError = (): ChainError => unavailable('the node is stopping')

const toExitError = (error: Error): Error =>
  errorCode(error) === 'ERR_WORKER_OUT_OF_MEMORY' ? callOutOfMemory() : error

/** Converts an error that a worker threw to the error to throw here. */
const toChainError = (error: ThreadError, timeout: ChainError): Error => {
  const { thrownName, details, message } = error
  const thrown = toThrownChainError(error)
  if (thrown !== undefined) return thrown
  if (thrownName === 'TraceError') return refused(message)
  if (thrownName !== 'InterruptedError') return error
  return details.reason === 'memory limit' ? callOutOfMemory() : timeout
}
