import type { Notice, Outlet } from '../../base/notice.ts'
import type { Caller } from '../access/access.ts'
import type { RateLimiter } from '../access/rateLimit.ts'
import { type Answerer, LongAnswer } from '../dispatch/answer.ts'
import { RequestScope } from '../dispatch/scope.ts'
import { closed, invalidParams, RpcError } from '../errors.ts'

export interface InProcessOptions {
  readonly timeoutMs: number
  /** Hears each notification of a subscription: the `params` of the message. */
  readonly onNotification: (params: unknown) => void
}

export interface InProcessDependencies {
  readonly answerer: Answerer
  readonly rateLimiter: RateLimiter
}

/** The largest answer: it is parsed in one piece, and the runtime has no longer string. */
const maxAnswer = 100_000_000

/** Whoever holds the object runs in this process, so that nothing can be kept from it. */
const createCaller = (): Caller => ({
  transport: 'in-process',
  address: '',
  isLocal: true,
  authorizedUntil: Number.POSITIVE_INFINITY,
})

/**
 * A connection without a socket: requests are dispatched at once, by the same way as those of every other transport,
 * and subscriptions live until it is closed.
 */
export class InProcessConnection {
  readonly #options: InProcessOptions
  readonly #dependencies: InProcessDependencies
  readonly #caller = createCaller()
  readonly #running = new Set<RequestScope>()
  readonly #outlet: InProcessOutlet
  #isClosed = false

  constructor(options: InProcessOptions, dependencies: InProcessDependencies) {
    this.#options = options
    this.#dependencies = dependencies
    this.#outlet = new InProcessOutlet(options.onNotification)
  }

  /** Returns the result as a JSON value; throws the `RpcError` that a client of a socket would be sent. */
  async request(method: string, params: unknown = []): Promise<unknown> {
    if (this.#isClosed) throw closed()
    const { answerer, rateLimiter } = this.#dependencies
    const scope = new RequestScope(this.#caller, this.#options.timeoutMs, rateLimiter, this.#outlet)
    this.#running.add(scope)
    try {
      const answer = await answerer.answer(encodeRequest(method, params), scope)
      return readResult(answer instanceof LongAnswer ? await answer.gather(maxAnswer) : answer)
    } finally {
      this.#running.delete(scope)
      scope.close()
    }
  }

  /** Calls back once, with the error that later requests get. */
  onClosed(listener: (error: RpcError) => void): void {
    this.#outlet.onceClosed(() => listener(closed()))
  }

  /** Ends its subscriptions and aborts the requests that run. */
  close(): void {
    this.#isClosed = true
    for (const scope of this.#running) scope.abort()
    this.#outlet.close()
  }
}

const encodeRequest = (method: string, params: unknown): string => {
  try {
    return JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
  } catch (error) {
    // A bigint, or an object that contains itself.
    throw invalidParams(`the parameters cannot be written as JSON: ${(error as Error).message}`)
  }
}

interface Response {
  readonly result?: unknown
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown }
}

const readResult = (answer: string | Buffer | undefined): unknown => {
  const { result, error } = JSON.parse(String(answer)) as Response
  if (error !== undefined) throw new RpcError(error.code, error.message, error.data)
  return result
}

/** Hands notifications over one by one: a listener in this process is never behind. */
class InProcessOutlet implements Outlet {
  readonly isFull = false
  readonly #onNotification: (params: unknown) => void
  #onceClosed: (() => void)[] = []
  #isClosed = false

  constructor(onNotification: (params: unknown) => void) {
    this.#onNotification = onNotification
  }

  push(notice: Notice, name: Uint8Array): void {
    for (const text of notice.textsFor(name)) {
      const { params } = JSON.parse(text) as { readonly params: unknown }
      // In a turn of its own: a listener that throws is the embedder's affair and stops nobody else's.
      setImmediate(() => {
        if (!this.#isClosed) this.#onNotification(params)
      })
    }
  }

  onceDrained(listener: () => void): void {
    setImmediate(listener)
  }

  onceClosed(listener: () => void): void {
    if (this.#isClosed) listener()
    else this.#onceClosed.push(listener)
  }

  cutOff(): void {
    this.close()
  }

  close(): void {
    if (this.#isClosed) return
    this.#isClosed = true
    const listeners = this.#onceClosed
    this.#onceClosed = []
    for (const listener of listeners) listener()
  }
}
