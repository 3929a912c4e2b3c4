import type { ClientConnection } from '../../base/notification.ts'
import type { Caller } from '../access/access.ts'
import type { RateLimiter } from '../access/rateLimit.ts'
import { requestTimedOut } from '../errors.ts'
import type { CallScope } from '../method.ts'

/**
 * The life of one body: who sent it, how long it may take, whether the sender still waits. The timer and the abort
 * controller are made only when something needs them: most calls are answered before either could matter.
 */
export class RequestScope implements CallScope {
  readonly caller: Caller
  readonly connection: ClientConnection | undefined
  readonly #timeoutMs: number
  readonly #rateLimiter: RateLimiter
  readonly #startedAt = performance.now()
  #controller: AbortController | undefined
  #timer: NodeJS.Timeout | undefined
  /** Of the calls that are under way. Undefined while there is none: most bodies never have one that waits. */
  #abortListeners: Set<() => void> | undefined
  #isAborted = false
  #isClosed = false
  #afterResponse: (() => void)[] | undefined

  constructor(caller: Caller, timeoutMs: number, rateLimiter: RateLimiter, outlet?: ClientConnection) {
    this.caller = caller
    this.connection = outlet
    this.#timeoutMs = timeoutMs
    this.#rateLimiter = rateLimiter
  }

  /** The body was counted as one request when it came in; a batch pays for the rest of its calls here. */
  chargeBatch(calls: number): void {
    this.#rateLimiter.charge(this.caller.address, calls - 1)
  }

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController()
      if (this.#isAborted) this.#controller.abort()
    }
    return this.#controller.signal
  }

  get isOver(): boolean {
    return this.#isAborted || performance.now() - this.#startedAt >= this.#timeoutMs
  }

  /** Waits for the work of a call, but no longer than the body's deadline. */
  race<T>(work: Promise<T>): Promise<T> {
    this.#timer ??= setTimeout(() => this.abort(), this.#timeoutMs - (performance.now() - this.#startedAt))
    return new Promise((resolve, reject) => {
      if (this.#isAborted) reject(requestTimedOut())
      const onAbort = (): void => reject(requestTimedOut())
      this.#abortListeners ??= new Set()
      this.#abortListeners.add(onAbort)
      const settle = (): void => void this.#abortListeners?.delete(onAbort)
      work.then(
        (value) => {
          settle()
          resolve(value)
        },
        (error: unknown) => {
          settle()
          reject(error)
        },
      )
    })
  }

  afterResponse(listener: () => void): void {
    this.#afterResponse ??= []
    this.#afterResponse.push(listener)
  }

  /** The client is gone, or its time is up: nobody waits for the rest. */
  abort(): void {
    if (this.#isClosed) return
    this.#isAborted = true
    this.#controller?.abort()
    for (const giveUp of this.#abortListeners ?? []) giveUp()
    clearTimeout(this.#timer)
  }

  /** The answer was sent: there is nothing left to abort. */
  close(): void {
    this.#isClosed = true
    clearTimeout(this.#timer)
    for (const listener of this.#afterResponse ?? []) listener()
  }
}
