import type { ClientConnection } from '../../base/notification.ts'
import type { Caller } from '../access/access.ts'
import type { RateLimiter } from '../access/rateLimit.ts'
import { requestTimedOut } from '../errors.ts'
import type { CallScope } from '../method.ts'

/**
 * The scope of one body: its caller, its deadline, and whether the client still waits. The timer and the abort
 * controller are created only when they are needed, because most calls end before either could matter.
 */
export class RequestScope implements CallScope {
  readonly caller: Caller
  readonly connection: ClientConnection | undefined
  readonly #timeoutMs: number
  readonly #rateLimiter: RateLimiter
  readonly #startedAt = performance.now()
  #controller: AbortController | undefined
  #timer: NodeJS.Timeout | undefined
  /** The abort listeners of running calls; undefined if there were none yet, as in most bodies. */
  #abortListeners: Set<() => void> | undefined
  #isAborted = false
  #isClosed = false
  #afterResponse: (() => void)[] | undefined

  constructor(caller: Caller, timeoutMs: number, rateLimiter: RateLimiter, connection?: ClientConnection) {
    this.caller = caller
    this.connection = connection
    this.#timeoutMs = timeoutMs
    this.#rateLimiter = rateLimiter
  }

  /**
   * Charges the rate limit for the calls of a batch. The first is not charged, because the body was charged on
   * arrival.
   */
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

  /** Waits for `work`; rejects at the body's deadline or when the scope is aborted. */
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

  /** Aborts the running calls, because the client has disconnected or the deadline has passed. */
  abort(): void {
    if (this.#isClosed) return
    this.#isAborted = true
    this.#controller?.abort()
    for (const onAbort of this.#abortListeners ?? []) onAbort()
    clearTimeout(this.#timer)
  }

  /** Ends the scope after the response was sent; nothing can be aborted any more. */
  close(): void {
    this.#isClosed = true
    clearTimeout(this.#timer)
    for (const listener of this.#afterResponse ?? []) listener()
  }
}
