import { type RawData, WebSocket } from 'ws'
import { UpstreamError } from '../parse/upstreamError.ts'
import type { CallOptions } from './cometHttpClient.ts'
import { parseNodeUrl, parseResponse } from './cometResponse.ts'
import { onTimeoutOrAbort, TransportError } from './deadline.ts'

interface SocketOptions {
  readonly maxReplyBytes: number
  /** How many calls are on their way at once; more wait here. */
  readonly maxInFlight: number
}

export interface Subscription {
  readonly query: string
  onEvent(result: unknown): void
  /** The subscription stands, for the first time or again: what came before it may have been missed. */
  onStart(): void
  /** It does not stand any more; it is tried again. */
  onEnd(error: Error): void
}

interface Call {
  readonly id: number
  readonly text: string
  readonly onLength: CallOptions['onLength']
  settle(error: Error | undefined, result: unknown): void
}

const maxWaiting = 16_384
const firstPauseMs = 100
const maxPauseMs = 5_000
const connectTimeoutMs = 5_000
const pingEveryMs = 5_000

/**
 * CometBFT's JSON-RPC by one WebSocket that is opened when needed and opened again when it breaks. Calls are sent
 * without waiting for the answers to those before; answers may come in any order. A node that names calls nobody made
 * is at fault: the line is cut and what is open fails.
 */
export class CometWsClient {
  readonly #url: string
  readonly #options: SocketOptions
  readonly #open = new Map<number, Call>()
  readonly #waiting = new Map<number, Call>()
  /** Calls whose caller did not wait; their answers may still come. */
  readonly #abandoned = new Set<number>()
  readonly #subscriptions = new Map<number, Subscription>()
  #socket: WebSocket | undefined
  #isReady = false
  #lastId = 0
  #failures = 0
  #retry: NodeJS.Timeout | undefined
  #ping: NodeJS.Timeout | undefined
  #hasTraffic = true
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
      const cancel = onTimeoutOrAbort(signal, timeoutMs, (error) => {
        if (this.#open.has(id)) this.#abandon(id)
        settle(error, undefined)
      })
      const text = JSON.stringify({ jsonrpc: '2.0', id, method, params })
      this.#waiting.set(id, { id, text, onLength, settle })
      this.#connect()
      this.#sendWaiting()
    })
  }

  /** Stands until the socket is closed; opened again after each break. */
  subscribe(subscription: Subscription): void {
    const id = ++this.#lastId
    this.#subscriptions.set(id, subscription)
    if (this.#isReady) this.#sendSubscription(id, subscription)
    else this.#connect()
  }

  get openCalls(): number {
    return this.#open.size + this.#waiting.size
  }

  /** Breaks the line: open calls fail, subscriptions are made again. */
  disconnect(error: Error): void {
    const socket = this.#socket
    if (!socket) return
    this.#socket = undefined
    this.#isReady = false
    clearInterval(this.#ping)
    socket.removeAllListeners()
    socket.on('error', () => undefined) // of a line that was given up
    socket.terminate()
    this.#failures++
    const calls = [...this.#open.values(), ...this.#waiting.values()]
    this.#abandoned.clear()
    // Set before calls are told: one that is made again at once has to find that nobody is there.
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

  #abandon(id: number): void {
    this.#abandoned.add(id)
    // One that answers nothing is not waited for: the rest is behind it in line.
    if (this.#abandoned.size > this.#options.maxInFlight)
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
    })
    this.#socket = socket
    socket.on('open', () => this.#onOpen(socket))
    socket.on('message', (data) => this.#onMessage(data))
    socket.on('pong', () => this.#sawTraffic())
    socket.on('ping', () => this.#sawTraffic())
    socket.on('error', (error) => this.disconnect(new TransportError(error.message)))
    socket.on('close', (code) => this.disconnect(new TransportError(`the node closed the line (${code})`)))
  }

  #onOpen(socket: WebSocket): void {
    this.#isReady = true
    this.#hasTraffic = true
    this.#ping = setInterval(() => {
      if (!this.#hasTraffic) return this.disconnect(new TransportError('the node is silent'))
      this.#hasTraffic = false
      socket.ping()
    }, pingEveryMs)
    this.#ping.unref()
    for (const [id, subscription] of this.#subscriptions) this.#sendSubscription(id, subscription)
    this.#sendWaiting()
  }

  #sawTraffic(): void {
    this.#hasTraffic = true
  }

  #sendSubscription(id: number, { query }: Subscription): void {
    this.#socket?.send(JSON.stringify({ jsonrpc: '2.0', id, method: 'subscribe', params: { query } }))
  }

  #sendWaiting(): void {
    if (!this.#isReady) return
    for (const call of this.#waiting.values()) {
      if (this.#open.size >= this.#options.maxInFlight) return
      this.#waiting.delete(call.id)
      this.#open.set(call.id, call)
      this.#socket?.send(call.text)
    }
  }

  #onMessage(data: RawData): void {
    this.#hasTraffic = true
    try {
      const { id, result, error } = parseResponse(data as Buffer) // ws gives Buffers where nothing else is asked for
      if (id === undefined) throw new UpstreamError(`a reply names no call: ${error?.message ?? 'a result'}`)
      const call = this.#open.get(id)
      if (call) {
        this.#failures = 0
        call.onLength?.((data as Buffer).length)
        return call.settle(error, result)
      }
      const subscription = this.#subscriptions.get(id)
      if (subscription) return this.#onSubscribed(subscription, error, result)
      if (!this.#abandoned.delete(id)) throw new UpstreamError(`a reply names call ${id}, which nobody made`)
    } catch (error) {
      this.disconnect(error instanceof Error ? error : new UpstreamError(String(error)))
    }
  }

  #onSubscribed(subscription: Subscription, error: Error | undefined, result: unknown): void {
    if (error) return this.disconnect(new TransportError(`the subscription is refused: ${error.message}`))
    this.#failures = 0
    // The first answer is an empty object: from then on events come.
    if (typeof result === 'object' && result !== null && Object.keys(result).length === 0)
      subscription.onStart()
    else subscription.onEvent(result)
  }
}
