import type { ClientConnection, Notification } from '../../base/notification.ts'
import type { Caller } from '../access/access.ts'
import type { RateLimiter } from '../access/rateLimit.ts'
import { PiecedResponse } from '../dispatch/batchResponse.ts'
import type { InternalErrors } from '../dispatch/internalErrors.ts'
import { type Message, type RequestHandler, toMessage } from '../dispatch/requestHandler.ts'
import { RequestScope } from '../dispatch/requestScope.ts'
import { closed, invalidParams, RpcError } from '../errors.ts'
import type { MemoryBudget } from '../memoryBudget.ts'
import { maxMessageBytes } from './rpcConnection.ts'

export interface InProcessOptions {
  readonly timeoutMs: number
  /** Called with the `params` of each notification. */
  readonly onNotification: (params: unknown) => void
}

export interface InProcessDependencies {
  readonly requestHandler: RequestHandler
  readonly rateLimiter: RateLimiter
  readonly internalErrors: InternalErrors
  readonly budget: MemoryBudget
}

/** Returns a caller with access to every method, because code in this process can do anything anyway. */
const createCaller = (): Caller => ({
  transport: 'in-process',
  address: '',
  isLocal: true,
  authorizedUntil: Number.POSITIVE_INFINITY,
})

/**
 * A connection without a socket. Requests go through the same handler as those of every other transport, and
 * subscriptions exist until it is closed.
 */
export class InProcessConnection {
  readonly #options: InProcessOptions
  readonly #dependencies: InProcessDependencies
  readonly #caller = createCaller()
  readonly #running = new Set<RequestScope>()
  readonly #client: InProcessClient
  #isClosed = false

  constructor(options: InProcessOptions, dependencies: InProcessDependencies) {
    this.#options = options
    this.#dependencies = dependencies
    this.#client = new InProcessClient(options.onNotification)
  }

  /** Returns the result as a JSON value; throws the `RpcError` that a client of a socket would be sent. */
  async request(method: string, params: unknown = []): Promise<unknown> {
    if (this.#isClosed) throw closed()
    const { requestHandler, rateLimiter, budget, internalErrors } = this.#dependencies
    const scope = new RequestScope(this.#caller, this.#options.timeoutMs, rateLimiter, budget, this.#client)
    this.#running.add(scope)
    try {
      const response = await requestHandler.handle(encodeRequest(method, params), scope)
      return readResult(await toMessage(response, maxMessageBytes, scope, internalErrors))
    } catch (error) {
      // The abort of a request at the close would look like a timeout.
      throw this.#isClosed ? closed() : error
    } finally {
      this.#running.delete(scope)
      internalErrors.contain('response', () => scope.close())
      scope.release()
    }
  }

  /** Calls `listener` once after the close, with the error that later requests get. */
  onClosed(listener: (error: RpcError) => void): void {
    this.#client.onceClosed(() => listener(closed()))
  }

  /** Ends the subscriptions and aborts the running requests. */
  close(): void {
    this.#isClosed = true
    for (const scope of this.#running) scope.abandon()
    this.#client.close()
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

const readResult = (response: Message | undefined): unknown => {
  const text = response instanceof PiecedResponse ? response.join() : response
  const { result, error } = JSON.parse(String(text)) as Response
  if (error !== undefined) throw new RpcError(error.code, error.message, error.data)
  return result
}

/** The receiver of notifications in this process. It is never full, because the listener is called directly. */
class InProcessClient implements ClientConnection {
  readonly isFull = false
  readonly #onNotification: (params: unknown) => void
  #onceClosed: (() => void)[] = []
  #isClosed = false

  constructor(onNotification: (params: unknown) => void) {
    this.#onNotification = onNotification
  }

  push(notification: Notification, name: Uint8Array): void {
    for (const text of notification.textsFor(name)) {
      const { params } = JSON.parse(text) as { readonly params: unknown }
      // In a separate turn of the event loop, so that a listener that throws does not affect other subscribers.
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

  disconnect(): void {
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
