import type { ClientConnection } from '../../base/notification.ts'
import type { Caller } from '../access/access.ts'
import type { RateLimiter } from '../access/rateLimit.ts'
import { type RpcError, requestTimedOut } from '../errors.ts'
import type { MemoryBudget } from '../memoryBudget.ts'
import type { CallScope } from '../method.ts'

/** The part of a body's time after which a call that has something to answer waits for no more. */
const answerShare = 0.9

/**
 * A response of so many bytes is never replaced by an error, which would be no shorter: it may be the hash of a transaction that
 * was sent.
 */
export const shortResponseBytes = 256

/**
 * The scope of one body: its caller, its deadline, and whether the client still waits. The timer and the abort
 * controller are created only when they are needed, because most calls end before either could matter.
 */
export class RequestScope implements CallScope {
  readonly caller: Caller
  readonly connection: ClientConnection | undefined
  readonly #timeoutMs: number
  readonly #answerMs: number
  readonly #rateLimiter: RateLimiter
  readonly #budget: MemoryBudget
  readonly #startedAt = performance.now()
  #controller: AbortController | undefined
  #timer: NodeJS.Timeout | undefined
  /** The abort listeners of running calls; undefined if there were none yet, as in most bodies. */
  #abortListeners: Set<() => void> | undefined
  #isAborted = false
  #isAbandoned = false
  #isClosed = false
  #afterResponse: (() => void)[] | undefined
  /** The bytes of the budget that this body holds, and those among them that calls hold until they are answered. */
  #held = 0
  #heldByCalls = 0
  #isReleased = false

  constructor(
    caller: Caller,
    timeoutMs: number,
    rateLimiter: RateLimiter,
    budget: MemoryBudget,
    connection?: ClientConnection,
    answerMs: number = timeoutMs * answerShare,
  ) {
    this.caller = caller
    this.connection = connection
    this.#timeoutMs = timeoutMs
    this.#answerMs = answerMs
    this.#rateLimiter = rateLimiter
    this.#budget = budget
  }

  /** Takes memory for this body until `release`. Returns false if too much is under way. */
  reserve(bytes: number): boolean {
    // What comes after the client has left is dropped at once.
    if (this.#isReleased) return true
    if (!this.#budget.take(bytes, this.#held)) return false
    this.#held += bytes
    return true
  }

  /**
   * Takes the memory of a body of this length: its bytes, their text, and the values that it is parsed to. A large one
   * that must wait is not counted as rejected: `waitForBody` decides.
   */
  reserveBody(length: number): boolean {
    return !this.#budget.mustQueue(length, this.caller) && this.reserveParsed(length)
  }

  /** Does the same for what does not wait: a call that another process has parsed, or a body that is answered with an error. */
  reserveParsed(length: number): boolean {
    return this.reserve(this.#budget.memoryOfBody(length))
  }

  /** Waits for the memory of a body whose bytes are counted. Resolves to false if it does not come in time. */
  waitForBody(length: number): Promise<boolean> {
    const bytes = this.#budget.memoryOfBody(length) - length
    return this.#budget.waitForRoom({
      caller: this.caller,
      length,
      needs: bytes,
      tryTake: () => this.#budget.hasRoom(bytes, this.#held) && this.reserve(bytes),
      onGone: (listener) => this.onAbort(listener),
    })
  }

  /** Counts memory that this body has already, also if too much is under way. */
  count(bytes: number): void {
    if (this.#isReleased) return
    this.#budget.count(bytes)
    this.#held += bytes
  }

  hold(bytes: number): void {
    if (!this.tryHold(bytes)) throw this.refusal()
  }

  /** Takes memory that a call holds until its response is written. Returns false if too much is under way. */
  tryHold(bytes: number): boolean {
    if (!this.reserve(bytes)) return false
    if (!this.#isReleased) this.#heldByCalls += bytes
    return true
  }

  /** Gives back all but `bytes`, because the response that is left to send has no more. */
  keep(bytes: number): void {
    if (this.#held <= bytes) return
    this.#budget.give(this.#held - bytes)
    this.#held = bytes
    this.#heldByCalls = 0
  }

  /**
   * Takes memory for the response of a call, in place of what the call has held for it. There is always some for a short one.
   * Only the difference moves: a body that waits would be let in to what is given back first.
   */
  reserveResponse(bytes: number): boolean {
    const held = this.#heldByCalls
    this.#heldByCalls = 0
    const missing = bytes - held
    if (missing > 0 && bytes > shortResponseBytes) {
      if (this.reserve(missing)) return true
      this.count(-held)
      return false
    }
    this.count(missing)
    return true
  }

  /** Returns the error for a call for which there is no memory. */
  refusal(): RpcError {
    return this.#budget.refusal()
  }

  /** Gives the memory back: the response was written, or nobody waits for it. It may be called again. */
  release(): void {
    this.#isReleased = true
    this.#budget.give(this.#held)
    this.#held = 0
    this.#heldByCalls = 0
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

  get answerWithinMs(): number {
    return this.#answerMs - (performance.now() - this.#startedAt)
  }

  /** Whether the client has left, so that nothing needs to be answered. */
  get isAbandoned(): boolean {
    return this.#isAbandoned
  }

  get isOver(): boolean {
    return this.#isAborted || performance.now() - this.#startedAt >= this.#timeoutMs
  }

  /** Waits for `work`; rejects at the body's deadline or when the scope is aborted. */
  race<T>(work: Promise<T>): Promise<T> {
    this.#startClock()
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

  /**
   * Calls `listener` when the client leaves or the deadline passes, at once if that was before. Returns the function that
   * ends this.
   */
  onAbort(listener: () => void): () => void {
    if (this.#isAborted) {
      listener()
      return () => {}
    }
    this.#startClock()
    this.#abortListeners ??= new Set()
    this.#abortListeners.add(listener)
    return () => void this.#abortListeners?.delete(listener)
  }

  #startClock(): void {
    this.#timer ??= setTimeout(() => this.abort(), this.#timeoutMs - (performance.now() - this.#startedAt))
  }

  afterResponse(listener: () => void): void {
    this.#afterResponse ??= []
    this.#afterResponse.push(listener)
  }

  /** Aborts the running calls, because the client has disconnected. */
  abandon(): void {
    this.#isAbandoned = true
    this.abort()
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
