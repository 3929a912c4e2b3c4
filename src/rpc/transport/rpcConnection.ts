import type { ClientConnection } from '../../base/notification.ts'
import { TimeSlice } from '../../base/threads/timeSlice.ts'
import { TurnShare } from '../../base/threads/turnShare.ts'
import type { Caller } from '../access/access.ts'
import type { RateLimiter } from '../access/rateLimit.ts'
import { responseBytes } from '../dispatch/batchResponse.ts'
import type { InternalErrors } from '../dispatch/internalErrors.ts'
import { type Message, type RequestHandler, StreamedResponse, toMessage } from '../dispatch/requestHandler.ts'
import { RequestScope } from '../dispatch/requestScope.ts'
import type { MemoryBudget } from '../memoryBudget.ts'
import type { RpcMetrics } from '../metrics.ts'
import { bodyText, longText, readLongText } from './http/bodyText.ts'

/** The transport below a connection: a WebSocket or an IPC socket. */
export interface MessageTransport {
  /** Sends a response. Returns false if the client does not read; nothing more is run until `onDrain` is called. */
  send(response: Message): boolean
  /** Stops reading from the socket, so that requests do not pile up in memory. */
  pause(): void
  resume(): void
}

export interface RpcConnectionDependencies {
  readonly requestHandler: RequestHandler
  readonly rateLimiter: RateLimiter
  readonly metrics: RpcMetrics
  readonly internalErrors: InternalErrors
  /** Shared by all transports of a server. */
  readonly budget: MemoryBudget
}

/** The largest message in bytes. It is held in memory as a whole, and clients accept no larger one. */
export const maxMessageBytes = 100_000_000

/** The number of bodies of one connection that run at a time; the next ones wait unread. */
const maxInFlight = 64
/** The same while memory is short. */
const maxInFlightWhenTight = 1

/** The number of bodies of one connection that are started in a turn of the event loop: one chunk may hold thousands. */
const maxStartsInTurn = 64

/**
 * A connection on which many bodies travel. Responses are sent as they are ready. A client that sends more than may
 * run, or more than its rate limit allows, is not rejected: its socket is not read for a while.
 */
export class RpcConnection {
  readonly #caller: Caller
  readonly #timeoutMs: number
  readonly #transport: MessageTransport
  readonly #client: ClientConnection
  readonly #dependencies: RpcConnectionDependencies
  readonly #waiting: string[] = []
  readonly #running = new Set<RequestScope>()
  #throttle: NodeJS.Timeout | undefined
  readonly #starts = new TurnShare(maxStartsInTurn)
  #isYielding = false
  /** The long messages whose text is being read. */
  #textsRead = 0
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
    this.#transport = options.transport
    this.#client = options.client
    this.#dependencies = dependencies
  }

  receive(text: string): void {
    if (this.#isEnding) return
    this.#waiting.push(text)
    this.#dependencies.budget.count(text.length)
    this.#runWaiting()
  }

  /** Receives a message in bytes. The text of a long one is read in slices; nothing more comes until it is there. */
  receiveBytes(bytes: Buffer): void {
    if (bytes.length < longText) return this.receive(bodyText(bytes, 0, bytes.length))
    if (this.#isEnding) return
    const { budget, internalErrors } = this.#dependencies
    this.#textsRead++
    budget.count(bytes.length)
    this.#runWaiting()
    readLongText(bytes)
      .catch((error: unknown) => {
        internalErrors.record('transport', error)
        return ''
      })
      .then((text) => {
        this.#textsRead--
        budget.give(bytes.length)
        this.receive(text)
      })
      .catch((error: unknown) => void internalErrors.record('transport', error))
  }

  /** Continues after the client has read what filled the socket. */
  onDrain(): void {
    this.#isFull = false
    this.#runWaiting()
  }

  /** Starts nothing new, and resolves when nothing runs any more. */
  async finish(): Promise<void> {
    this.#end()
    if (this.#running.size > 0) await new Promise<void>((resolve) => (this.#onIdle = resolve))
  }

  /** Aborts what runs, because the client has disconnected. */
  close(): void {
    this.#end()
    for (const scope of this.#running) scope.abandon()
  }

  #end(): void {
    this.#isEnding = true
    for (const { length } of this.#waiting.splice(0)) this.#dependencies.budget.give(length)
    clearTimeout(this.#throttle)
    // Otherwise the client's close message would wait unread.
    if (this.#isPaused) this.#transport.resume()
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
        const text = this.#waiting.shift() as string // there is one: the loop's condition
        this.#dependencies.budget.give(text.length)
        if (this.#starts.countLast()) this.#yield()
        this.#run(text)
      }
    }
    const mustPause = this.#waiting.length > 0 || this.#isFull || this.#textsRead > 0
    if (mustPause === this.#isPaused) return
    this.#isPaused = mustPause
    if (mustPause) this.#transport.pause()
    else this.#transport.resume()
  }

  get #mayRun(): boolean {
    const limit = this.#dependencies.budget.isTight ? maxInFlightWhenTight : maxInFlight
    const isHeld = this.#throttle !== undefined || this.#isFull || this.#isYielding
    return this.#running.size < limit && !isHeld
  }

  /** Starts nothing more until the event loop and the others that wait have had their turn. */
  #yield(): void {
    this.#isYielding = true
    void TimeSlice.turn().then(() => {
      this.#isYielding = false
      this.#runWaiting()
    })
  }

  #run(text: string): void {
    const { requestHandler, rateLimiter, budget, metrics, internalErrors } = this.#dependencies
    const scope = new RequestScope(this.#caller, this.#timeoutMs, rateLimiter, budget, this.#client)
    const { length } = text
    const deliver = (response: Message | undefined): void => {
      metrics.observeSizes(length, response === undefined ? 0 : responseBytes(response))
      if (response !== undefined && !this.#transport.send(response)) this.#isFull = true
    }
    // Added before it starts, because the call may be one that closes this connection.
    this.#running.add(scope)
    const response = requestHandler.handle(text, scope)
    if (!(response instanceof Promise) && !(response instanceof StreamedResponse)) {
      internalErrors.contain('response', () => {
        const message = toMessage(response, maxMessageBytes, scope, internalErrors)
        deliver(message as Exclude<typeof message, Promise<unknown>>) // only a streamed response must be waited for
      })
      this.#settle(scope)
      return
    }
    Promise.resolve(response)
      .then((settled) => toMessage(settled, maxMessageBytes, scope, internalErrors))
      .then(deliver)
      .catch((error: unknown) => void internalErrors.record('response', error))
      .finally(() => {
        this.#settle(scope)
        this.#runWaiting()
      })
  }

  #settle(scope: RequestScope): void {
    this.#dependencies.internalErrors.contain('response', () => scope.close())
    // What was sent is counted with the socket from now on.
    scope.release()
    this.#running.delete(scope)
    if (this.#running.size === 0) this.#onIdle?.()
  }
}
