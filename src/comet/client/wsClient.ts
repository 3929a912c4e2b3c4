import { type RawData, WebSocket } from 'ws'
import { limitsOf, parseNodeUrl, parseResponse, peekId } from '../data/replyEnvelope.ts'
import {
  isRateLimit,
  OversizedMessageError,
  rateLimitError,
  TransportError,
} from '../data/transportErrors.ts'
import { UpstreamError } from '../data/upstreamError.ts'
import { explainConnection, explainHandshake } from './connectionErrors.ts'
import { onTimeoutOrAbort } from './deadline.ts'
import type { CallOptions, NodeHeaders } from './httpClient.ts'

/** The code of `ws` for a message above `maxPayload`. */
const oversizedCode = 'WS_ERR_UNSUPPORTED_MESSAGE_LENGTH'

const toTransportError = (error: Error & { readonly code?: string }): TransportError =>
  error.code === oversizedCode
    ? new OversizedMessageError(error.message)
    : new TransportError(explainConnection(error))

interface SocketOptions {
  readonly maxReplyBytes: number
  /** The largest number of calls in flight that somebody waits for; further ones wait in this process. */
  readonly maxInFlight: number
  /** Headers of the handshake, such as keys. */
  readonly headers?: NodeHeaders | undefined
}

export interface Subscription {
  /** The query; it is read whenever the subscription is made or renewed. */
  readonly query: string
  /** Called with an event and the length of its text in bytes. */
  onEvent(result: unknown, length: number): void
  /** Called when the subscription is active, for the first time or again. Events before that may have been missed. */
  onStart(): void
  /** Called when the subscription ends. It is tried again. */
  onEnd(error: Error): void
}

interface Call {
  readonly id: number
  readonly method: string
  readonly text: string
  readonly onLength: CallOptions['onLength']
  settle(error: Error | undefined, result: unknown): void
}

const maxWaiting = 16_384
/** How many times `maxInFlight` calls a node may have to answer: open ones, and those that nobody waits for any more. */
const unansweredFactor = 2
const firstPauseMs = 100
const maxPauseMs = 5_000
const connectTimeoutMs = 5_000
const pingEveryMs = 5_000
/** How many pings and pongs may come in that time: each ping has a response, which a node that does not read lets pile up. */
const maxControlFrames = 200
/** The largest reply that may name its call elsewhere than at its beginning: below the limits of all methods. */
const maxUnnamedBytes = 16_384

/**
 * CometBFT's JSON-RPC over one WebSocket, which is opened when it is needed and reopened when it breaks. Calls are sent
 * without waiting for earlier responses, and responses may come in any order. A node that responds to a call that was
 * never made is at fault: the connection is closed, and open calls fail.
 */
export class CometWsClient {
  readonly #url: string
  readonly #options: SocketOptions
  readonly #open = new Map<number, Call>()
  readonly #waiting = new Map<number, Call>()
  /**
   * Calls that nobody waits for any more, by when their time is up: the node still works on them, and their responses may
   * arrive.
   */
  readonly #abandoned = new Map<number, number>()
  readonly #subscriptions = new Map<number, Subscription>()
  #socket: WebSocket | undefined
  #isReady = false
  #lastId = 0
  #connections = 0
  #failures = 0
  #retry: NodeJS.Timeout | undefined
  #ping: NodeJS.Timeout | undefined
  #hasTraffic = true
  /** The pings and pongs since this client pinged last. */
  #controlFrames = 0
  #isClosed = false

  constructor(url: string, options: SocketOptions) {
    const address = parseNodeUrl(url)
    address.pathname = `${address.pathname.replace(/\/$/, '')}/websocket`
    this.#url = address.href.replace(/^http/, 'ws')
    this.#options = options
  }

  call(method: string, params: object, { signal, timeoutMs, onLength }: CallOptions): Promise<unknown> {
    return new Promise((resolve, reject) => {
      if (this.#isClosed) return reject(new TransportError('the client is closed'))
      if (this.#retry !== undefined) return reject(new TransportError('the node is not there'))
      if (this.#waiting.size >= maxWaiting)
        return reject(new TransportError('too many calls wait for the node'))
      const id = ++this.#lastId
      const settle = (error: Error | undefined, result: unknown): void => {
        cancel()
        this.#waiting.delete(id)
        if (this.#open.delete(id)) this.#sendWaiting()
        if (error) reject(error)
        else resolve(result)
      }
      const endsAt = performance.now() + timeoutMs
      const cancel = onTimeoutOrAbort(signal, timeoutMs, (error) => {
        // That a caller leaves says nothing of the node, as long as it has time to answer.
        if (this.#open.has(id)) this.#abandoned.set(id, signal?.aborted ? endsAt : 0)
        settle(error, undefined)
        this.#leaveMuteNode()
      })
      const text = JSON.stringify({ jsonrpc: '2.0', id, method, params })
      this.#waiting.set(id, { id, method, text, onLength, settle })
      this.#connect()
      this.#sendWaiting()
    })
  }

  /** Subscribes until the client is closed. The subscription is renewed whenever the connection is reopened. */
  subscribe(subscription: Subscription): void {
    const id = ++this.#lastId
    this.#subscriptions.set(id, subscription)
    if (this.#isReady) this.#sendSubscription(id, subscription)
    else this.#connect()
  }

  get openCalls(): number {
    return this.#open.size + this.#waiting.size
  }

  /** How many times the connection was opened. */
  get connections(): number {
    return this.#connections
  }

  /** Closes the connection: open calls fail, and subscriptions are renewed. */
  disconnect(error: Error): void {
    const socket = this.#socket
    if (!socket) return
    this.#socket = undefined
    this.#isReady = false
    clearInterval(this.#ping)
    socket.removeAllListeners()
    socket.on('error', () => undefined) // of a connection that is closed already
    socket.terminate()
    this.#failures++
    const calls = [...this.#open.values(), ...this.#waiting.values()]
    this.#abandoned.clear()
    // This is set before callers are notified, because a caller that retries at once must find the connection closed.
    if (!this.#isClosed) this.#retryLater()
    for (const call of calls) call.settle(error, undefined)
    for (const subscription of this.#subscriptions.values()) subscription.onEnd(error)
  }

  close(): void {
    this.#isClosed = true
    clearTimeout(this.#retry)
    this.disconnect(new TransportError('the client is closed'))
    this.#subscriptions.clear()
  }

  /** A node that stops answering is not waited for, because the remaining calls are queued behind. */
  #leaveMuteNode(): void {
    const now = performance.now()
    const overdue = [...this.#abandoned.values()].filter((endsAt) => endsAt <= now)
    if (overdue.length > this.#options.maxInFlight)
      this.disconnect(new TransportError('the node does not answer'))
  }

  #retryLater(): void {
    const longest = Math.min(maxPauseMs, firstPauseMs * 2 ** Math.min(this.#failures - 1, 10))
    const pauseMs = longest * (0.5 + Math.random() / 2)
    this.#retry = setTimeout(() => {
      this.#retry = undefined
      if (this.#subscriptions.size > 0) this.#connect()
    }, pauseMs)
    this.#retry.unref()
  }

  #connect(): void {
    if (this.#socket || this.#isClosed || this.#retry !== undefined) return
    const socket = new WebSocket(this.#url, {
      perMessageDeflate: false,
      maxPayload: this.#options.maxReplyBytes,
      handshakeTimeout: connectTimeoutMs,
      followRedirects: false,
      headers: this.#options.headers ?? {},
    })
    this.#socket = socket
    socket.on('open', () => this.#onOpen(socket))
    socket.on('message', (data) => this.#onMessage(data))
    socket.on('pong', () => this.#onControlFrame())
    socket.on('ping', () => this.#onControlFrame())
    socket.on('unexpected-response', (request, response) => {
      request.destroy()
      this.disconnect(
        isRateLimit(response.statusCode, response.headers['retry-after'])
          ? rateLimitError(response.headers['retry-after'])
          : new TransportError(explainHandshake(response.statusCode)),
      )
    })
    socket.on('error', (error) => this.disconnect(toTransportError(error)))
    socket.on('close', (code) => this.disconnect(new TransportError(`the node closed the line (${code})`)))
  }

  #onOpen(socket: WebSocket): void {
    this.#isReady = true
    this.#connections++
    this.#hasTraffic = true
    this.#controlFrames = 0
    this.#ping = setInterval(() => {
      if (!this.#hasTraffic) return this.disconnect(new TransportError('the node is silent'))
      this.#hasTraffic = false
      this.#controlFrames = 0
      socket.ping()
    }, pingEveryMs)
    this.#ping.unref()
    for (const [id, subscription] of this.#subscriptions) this.#sendSubscription(id, subscription)
    this.#sendWaiting()
  }

  #onControlFrame(): void {
    this.#hasTraffic = true
    if (++this.#controlFrames > maxControlFrames)
      this.disconnect(new UpstreamError('the node sends too many pings and pongs'))
  }

  #sendSubscription(id: number, { query }: Subscription): void {
    this.#socket?.send(JSON.stringify({ jsonrpc: '2.0', id, method: 'subscribe', params: { query } }))
  }

  #sendWaiting(): void {
    if (!this.#isReady) return
    const { maxInFlight } = this.#options
    for (const call of this.#waiting.values()) {
      // Who sends calls and leaves does not have the node work on ever more of them.
      const unanswered = this.#open.size + this.#abandoned.size
      if (this.#open.size >= maxInFlight || unanswered >= unansweredFactor * maxInFlight) return
      this.#waiting.delete(call.id)
      this.#open.set(call.id, call)
      this.#socket?.send(call.text)
    }
  }

  #onMessage(data: RawData): void {
    this.#hasTraffic = true
    const bytes = data as Buffer // ws delivers Buffers by default
    try {
      const named = peekId(bytes)
      if (named === undefined && bytes.length > maxUnnamedBytes)
        throw new UpstreamError('a large reply does not begin with its call')
      // Nobody waits for it any more: it need not be parsed.
      if (named !== undefined && this.#abandoned.delete(named)) return this.#sendWaiting()
      const expected = this.#open.get(named ?? 0)
      if (named !== undefined && expected === undefined && !this.#subscriptions.has(named))
        throw new UpstreamError(`a reply names call ${named}, which nobody made`)
      const maxBytes = limitsOf(expected?.method).bytes
      if (expected !== undefined && bytes.length > maxBytes)
        return expected.settle(
          new TransportError(`the reply to ${expected.method} is larger than ${maxBytes} bytes`),
          undefined,
        )
      const { id, result, error } = parseResponse(bytes, expected?.method)
      // Of two members with one name the last one counts, and the limits were those of the first.
      if (named !== undefined && id !== named) throw new UpstreamError('a reply names two calls')
      if (id === undefined) throw new UpstreamError(`a reply names no call: ${error?.message ?? 'a result'}`)
      const call = this.#open.get(id)
      if (call) {
        this.#failures = 0
        call.onLength?.(bytes.length)
        return call.settle(error, result)
      }
      const subscription = this.#subscriptions.get(id)
      if (subscription) return this.#onSubscribed(subscription, error, result, bytes.length)
      if (!this.#abandoned.delete(id)) throw new UpstreamError(`a reply names call ${id}, which nobody made`)
      this.#sendWaiting()
    } catch (error) {
      this.disconnect(error instanceof Error ? error : new UpstreamError(String(error)))
    }
  }

  #onSubscribed(subscription: Subscription, error: Error | undefined, result: unknown, length: number): void {
    if (error) return this.disconnect(new TransportError(`subscription rejected: ${error.message}`))
    this.#failures = 0
    // The first response is an empty object; events follow.
    if (typeof result === 'object' && result !== null && Object.keys(result).length === 0)
      subscription.onStart()
    else subscription.onEvent(result, length)
  }
}
