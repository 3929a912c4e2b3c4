import type { Caller } from './access.ts'
import { timedOut } from './errors.ts'
import type { CallScope } from './method.ts'
import type { RateLimiter } from './rateLimit.ts'

/**
 * The life of one body: who sent it, how long it may take, whether the sender still waits. The timer and the abort
 * controller are made only when something asynchronous needs them: most calls are answered before either could matter.
 */
export class RequestScope implements CallScope {
  readonly caller: Caller
  readonly #timeoutMs: number
  readonly #rateLimiter: RateLimiter
  readonly #startedAt = performance.now()
  #controller: AbortController | undefined
  #timer: NodeJS.Timeout | undefined
  #aborted = false

  constructor(caller: Caller, timeoutMs: number, rateLimiter: RateLimiter) {
    this.caller = caller
    this.#timeoutMs = timeoutMs
    this.#rateLimiter = rateLimiter
  }

  /** The body was counted as one request when it came in; a batch pays for the rest of its calls here. */
  chargeBatch(calls: number): void {
    this.#rateLimiter.charge(this.caller.address, calls - 1)
  }

  get signal(): AbortSignal {
    this.#controller ??= new AbortController()
    if (this.#aborted) this.#controller.abort()
    return this.#controller.signal
  }

  get isOver(): boolean {
    return this.#aborted || performance.now() - this.#startedAt >= this.#timeoutMs
  }

  /** Waits for the work, but no longer than the body's deadline. */
  async race<T>(work: Promise<T>): Promise<T> {
    const { signal } = this
    this.#timer ??= setTimeout(() => this.abort(), this.#timeoutMs - (performance.now() - this.#startedAt))
    let giveUp = (): void => {}
    const deadline = new Promise<never>((_, reject) => {
      giveUp = () => reject(timedOut())
      signal.addEventListener('abort', giveUp, { once: true })
      if (signal.aborted) giveUp()
    })
    try {
      return await Promise.race([work, deadline])
    } finally {
      signal.removeEventListener('abort', giveUp)
    }
  }

  /** The client is gone, or its time is up: nobody waits for the rest. */
  abort(): void {
    this.#aborted = true
    this.#controller?.abort()
    this.close()
  }

  /** The answer is complete. */
  close(): void {
    clearTimeout(this.#timer)
  }
}
