import type { Logger } from '../../base/log.ts'
import type { ClientConnection } from '../../base/notification.ts'
import type { Caller } from '../access/access.ts'
import type { RateLimiter } from '../access/rateLimit.ts'
import { type RequestHandler, StreamedResponse } from '../dispatch/requestHandler.ts'
import { RequestScope } from '../dispatch/requestScope.ts'
import type { RpcMetrics } from '../metrics.ts'

/** The connection under a conversation: a WebSocket or an IPC socket. */
export interface MessageTransport {
  /** False when the client does not read: nothing more is answered until `drained` is called. */
  send(answer: string | Buffer): boolean
  /** Stop reading: more would only wait in our memory. */
  pause(): void
  resume(): void
}

export interface RpcConnectionDependencies {
  readonly requestHandler: RequestHandler
  readonly rateLimiter: RateLimiter
  readonly metrics: RpcMetrics
  readonly log: Logger
}

/** The largest message: it is held in memory as a whole, and clients take no larger one. */
const maxMessageBytes = 100_000_000

/** Bodies of one connection that run at a time; the next ones wait unread. */
const maxInFlight = 64

/**
 * A connection on which many bodies come and go. Answers are sent as they are ready. A client that sends more than we
 * may run, or more than its rate, is not refused: its socket is just not read for a while.
 */
export class RpcConnection {
  readonly #caller: Caller
  readonly #timeoutMs: number
  readonly #line: MessageTransport
  readonly #connection: ClientConnection
  readonly #dependencies: RpcConnectionDependencies
  readonly #waiting: string[] = []
  readonly #running = new Set<RequestScope>()
  #throttle: NodeJS.Timeout | undefined
  #isPaused = false
  #isFull = false
  #isEnding = false
  #onIdle: (() => void) | undefined

  constructor(
    options: { caller: Caller; timeoutMs: number; transport: MessageTransport; client: ClientConnection },
    dependencies: RpcConnectionDependencies,
  ) {
    this.#caller = options.caller
    this.#timeoutMs = options.timeoutMs
    this.#line = options.transport
    this.#connection = options.client
    this.#dependencies = dependencies
  }

  receive(text: string): void {
    if (this.#isEnding) return
    this.#waiting.push(text)
    this.#runWaiting()
  }

  /** The client has read what filled the line. */
  onDrain(): void {
    this.#isFull = false
    this.#runWaiting()
  }

  /** Resolves when nothing runs any more. Nothing new is started from now on. */
  async finish(): Promise<void> {
    this.#end()
    if (this.#running.size > 0) await new Promise<void>((resolve) => (this.#onIdle = resolve))
  }

  /** The client is gone: nobody waits for what still runs. */
  close(): void {
    this.#end()
    for (const scope of this.#running) scope.abort()
  }

  #end(): void {
    this.#isEnding = true
    this.#waiting.length = 0
    clearTimeout(this.#throttle)
    // The client's goodbye would wait unread.
    if (this.#isPaused) this.#line.resume()
    this.#isPaused = false
  }

  #runWaiting(): void {
    if (this.#isEnding) return
    while (this.#waiting.length > 0 && this.#mayRun) {
      const seconds = this.#dependencies.rateLimiter.take(this.#caller.address)
      if (seconds > 0) {
        this.#throttle = setTimeout(() => {
          this.#throttle = undefined
          this.#runWaiting()
        }, seconds * 1000)
      } else {
        this.#run(this.#waiting.shift() as string) // there is one: the loop's condition
      }
    }
    const mustPause = this.#waiting.length > 0 || this.#isFull
    if (mustPause === this.#isPaused) return
    this.#isPaused = mustPause
    if (mustPause) this.#line.pause()
    else this.#line.resume()
  }

  get #mayRun(): boolean {
    return this.#running.size < maxInFlight && this.#throttle === undefined && !this.#isFull
  }

  #run(text: string): void {
    const { requestHandler, rateLimiter, metrics, log } = this.#dependencies
    const scope = new RequestScope(this.#caller, this.#timeoutMs, rateLimiter, this.#connection)
    const deliver = (answer: string | Buffer | undefined): void => {
      metrics.observeSizes(text.length, answer?.length ?? 0)
      if (answer !== undefined && !this.#line.send(answer)) this.#isFull = true
    }
    // Counted before it starts: the call may be the one that ends this very conversation.
    this.#running.add(scope)
    const answer = requestHandler.handle(text, scope)
    if (!(answer instanceof Promise) && !(answer instanceof StreamedResponse)) {
      deliver(answer)
      this.#settle(scope)
      return
    }
    Promise.resolve(answer)
      .then((settled) => (settled instanceof StreamedResponse ? settled.collect(maxMessageBytes) : settled))
      .then(deliver)
      .catch((error: unknown) => log.error({ err: error }, 'an answer could not be made'))
      .finally(() => {
        this.#settle(scope)
        this.#runWaiting()
      })
  }

  #settle(scope: RequestScope): void {
    scope.close()
    this.#running.delete(scope)
    if (this.#running.size === 0) this.#onIdle?.()
  }
}
