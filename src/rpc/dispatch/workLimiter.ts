import { limitExceeded, type RpcError, requestTimedOut } from '../errors.ts'
import type { WorkClass } from '../methodKinds.ts'
import type { RequestScope } from './requestScope.ts'

/** The limits of one class of work. */
export interface WorkLimits {
  /** The calls that may run at once. */
  readonly permits: number
  /** The calls that may wait; more are rejected at once. */
  readonly queue: number
  /** The longest wait in milliseconds. */
  readonly waitMs: number
  /** The setting that the error names. */
  readonly setting: string
}

/** The classes that are limited. Cheap calls end at once, and need no more than the limits of their connection. */
export type LimitedClass = Exclude<WorkClass, 'cheap'>

/** The time of this thread that the calls of one class may take in each turn of the event loop. */
const turnMs = 5

interface WaitingCall {
  readonly start: () => void
  readonly refuse: (error: RpcError) => void
  readonly until: number
  /** Stops listening to the end of its client. */
  forget: () => void
}

/**
 * Admits the calls of one class of work. A class has permits for calls that are under way elsewhere (on workers, at
 * other nodes), a share of each turn of the event loop for what they do on this thread, and a queue. A flood in one class
 * fills the queue of that class, and its share of the thread; the others notice little.
 */
export class WorkLimiter {
  readonly #limits: WorkLimits
  readonly #name: LimitedClass
  readonly #waiting: WaitingCall[] = []
  #running = 0
  /** The milliseconds of this turn of the event loop that are used up. */
  #spentMs = 0
  #isTurnAhead = false
  #deadline: NodeJS.Timeout | undefined
  #refused = 0
  #admitted = 0

  constructor(name: LimitedClass, limits: WorkLimits) {
    this.#name = name
    this.#limits = limits
  }

  get stats(): { readonly running: number; waiting: number; refused: number; admitted: number } {
    const waiting = this.#waiting.length
    return { running: this.#running, waiting, refused: this.#refused, admitted: this.#admitted }
  }

  /** Whether a call may start at once. */
  get isOpen(): boolean {
    return this.#waiting.length === 0 && this.#hasRoom
  }

  /** Counts a call that starts, or only what is done before it does. */
  enter(isStart = true): void {
    this.#running++
    if (isStart) this.#admitted++
  }

  /** Counts the time of this thread that a call took. */
  spend(milliseconds: number): void {
    this.#spentMs += milliseconds
    this.#takeTurn()
  }

  /** Gives back the permit of a call that has ended. */
  readonly leave = (): void => {
    this.#running--
    if (this.#waiting.length > 0) this.#takeTurn()
  }

  /**
   * Lets a call wait: `start` is called when it may run, `refuse` if it may not wait, has waited too long, its deadline
   * has passed or its client has left.
   */
  wait(scope: RequestScope, start: () => void, refuse: (error: RpcError) => void): void {
    const { queue, waitMs, setting } = this.#limits
    if (this.#waiting.length >= queue) {
      this.#refused++
      return refuse(limitExceeded(`too many ${this.#name} calls wait: at most ${queue} (${setting})`))
    }
    const call: WaitingCall = { start, refuse, until: performance.now() + waitMs, forget: () => {} }
    this.#waiting.push(call)
    this.#deadline ??= setTimeout(() => this.#expire(), waitMs)
    this.#takeTurn()
    // Last, because a scope that is aborted already says so at once.
    call.forget = scope.onAbort(() => this.#drop(call))
  }

  get #hasRoom(): boolean {
    return this.#running < this.#limits.permits && this.#spentMs < turnMs
  }

  /** Has the waiting calls continue in the next turn of the event loop. */
  #takeTurn(): void {
    if (this.#isTurnAhead) return
    this.#isTurnAhead = true
    setImmediate(() => {
      this.#isTurnAhead = false
      this.#spentMs = 0
      while (this.#waiting.length > 0 && this.#hasRoom) this.#shift().start()
    })
  }

  #shift(): WaitingCall {
    const call = this.#waiting.shift() as WaitingCall // the callers know that there is one
    call.forget()
    if (this.#waiting.length === 0) this.#stopClock()
    return call
  }

  #drop(call: WaitingCall): void {
    const index = this.#waiting.indexOf(call)
    if (index < 0) return
    this.#waiting.splice(index, 1)
    if (this.#waiting.length === 0) this.#stopClock()
    call.refuse(requestTimedOut())
  }

  /** Rejects the calls that have waited too long. The first one has waited longest. */
  #expire(): void {
    this.#deadline = undefined
    const { waitMs, setting } = this.#limits
    const now = performance.now()
    while ((this.#waiting[0]?.until ?? Number.POSITIVE_INFINITY) <= now) {
      this.#refused++
      const why = `too many ${this.#name} calls: this one has waited for ${waitMs} ms (json-rpc.queue-timeout, ${setting})`
      this.#shift().refuse(limitExceeded(why))
    }
    const [first] = this.#waiting
    if (first !== undefined)
      this.#deadline = setTimeout(() => this.#expire(), Math.max(1, Math.ceil(first.until - now)))
  }

  #stopClock(): void {
    clearTimeout(this.#deadline)
    this.#deadline = undefined
  }
}

/** The settings of `[json-rpc]` from which the limits of the classes follow. */
export interface WorkSettings {
  readonly callWorkers: number
  readonly callQueue: number
  readonly traceWorkers: number
  readonly traceQueue: number
  readonly statePermits: number
  readonly stateQueue: number
  readonly logsPermits: number
  readonly logsQueue: number
  readonly writePermits: number
  readonly writeQueue: number
  readonly queueTimeout: number
}

/** The calls that may wait for their turn on this thread whatever the queue for workers. */
const turnQueue = 64

export type WorkLimiters = Readonly<Record<LimitedClass, WorkLimiter>>

export const createWorkLimiters = (settings: WorkSettings): WorkLimiters => {
  const limiter = (name: LimitedClass, permits: number, queue: number, setting: string): WorkLimiter =>
    new WorkLimiter(name, { permits, queue, waitMs: settings.queueTimeout, setting: `json-rpc.${setting}` })
  const { callWorkers, callQueue, traceWorkers, traceQueue } = settings
  return {
    state: limiter('state', settings.statePermits, settings.stateQueue, 'state-queue'),
    logs: limiter('logs', settings.logsPermits, settings.logsQueue, 'logs-queue'),
    // The queues of the workers hold those that wait for one of them.
    evm: limiter('evm', callWorkers + callQueue, Math.max(callQueue, turnQueue), 'call-queue'),
    trace: limiter('trace', traceWorkers + traceQueue, Math.max(traceQueue, turnQueue), 'trace-queue'),
    write: limiter('write', settings.writePermits, settings.writeQueue, 'write-queue'),
  }
}
