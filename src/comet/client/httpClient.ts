import { Agent, request as plainRequest } from 'node:http'
import { Agent as SecureAgent, request as secureRequest } from 'node:https'
import {
  CometError,
  type CometResponse,
  limitsOf,
  parseNodeUrl,
  parseResponse,
  parseResponses,
  type ReplyLimits,
} from '../data/replyEnvelope.ts'
import { isRateLimit, rateLimitError, TransportError } from '../data/transportErrors.ts'
import { UpstreamError } from '../data/upstreamError.ts'
import { onTimeoutOrAbort } from './deadline.ts'

/** Headers of requests to a node. They may be keys, so they are in no log, error or metric. */
export type NodeHeaders = Readonly<Record<string, string>>

export interface CallOptions {
  readonly signal?: AbortSignal | undefined
  readonly timeoutMs: number
  /** How long the caller waits, if that is known and shorter. */
  readonly waitsMs?: number | undefined
  /** Called with the length of the reply, if the transport knows it. */
  readonly onLength?: (bytes: number) => void
}

interface HttpClientOptions {
  readonly maxReplyBytes: number
  /** Whether only that limits a reply, and not its method: for a node that is trusted. */
  readonly isTrusted?: boolean
  readonly maxSockets: number
  /** Headers of each request, such as keys. */
  readonly headers?: NodeHeaders | undefined
}

export interface StreamOptions {
  readonly signal?: AbortSignal | undefined
  /** How long the whole reply may take. */
  readonly timeoutMs: number
  /** How long the node may send nothing, from when the call has a connection. */
  readonly idleMs?: number
}

/** Takes the pieces of a reply as they arrive. */
export interface ReplyConsumer {
  push(piece: Buffer): void
  /** Returns what is to be parsed as the JSON-RPC reply. */
  end(): Buffer
}

const unlimited: ReplyLimits = { bytes: Number.POSITIVE_INFINITY, values: Number.POSITIVE_INFINITY }

/** CometBFT's JSON-RPC over HTTP, for slow or large calls, which would delay others on the WebSocket. */
export class CometHttpClient {
  readonly #url: URL
  readonly #maxReplyBytes: number
  readonly #isTrusted: boolean
  readonly #agent: Agent
  readonly #headers: NodeHeaders
  #lastId = 0

  constructor(url: string, options: HttpClientOptions) {
    this.#url = parseNodeUrl(url)
    this.#maxReplyBytes = options.maxReplyBytes
    this.#isTrusted = options.isTrusted ?? false
    this.#headers = options.headers ?? {}
    const settings = { keepAlive: true, maxSockets: options.maxSockets, timeout: 60_000 }
    this.#agent = this.#url.protocol === 'https:' ? new SecureAgent(settings) : new Agent(settings)
  }

  call(method: string, params: object, options: StreamOptions): Promise<unknown> {
    return this.stream(method, params, options, this.#hold(method, 1))
  }

  /**
   * Calls a method several times in one request. Returns the reply to each call, with an `UpstreamError` if it is
   * malformed; undefined for one without. Throws if the node rejects the request as a whole.
   */
  async batch(
    method: string,
    calls: readonly object[],
    options: StreamOptions,
  ): Promise<readonly (CometResponse | undefined)[]> {
    const body = JSON.stringify(calls.map((params, id) => ({ jsonrpc: '2.0', id, method, params })))
    const bytes = await this.#post(body, options, this.#hold(method, calls.length))
    const replies = parseResponses(bytes, method, calls.length, this.#limitsOf(method))
    const [first] = replies
    if (first?.error instanceof CometError && first.id === undefined) throw first.error
    const byId = new Map(replies.map((reply) => [reply.id, reply]))
    return calls.map((_, id) => byId.get(id))
  }

  /**
   * Calls a method whose reply may be too large to be held. Its pieces are given to the consumer, whose errors reject
   * the call; what the consumer returns at the end is parsed as the reply.
   */
  async stream(
    method: string,
    params: object,
    options: StreamOptions,
    consumer: ReplyConsumer,
  ): Promise<unknown> {
    const id = ++this.#lastId
    const body = JSON.stringify({ jsonrpc: '2.0', id, method, params })
    const bytes = await this.#post(body, options, consumer)
    const reply = parseResponse(bytes, method, this.#limitsOf(method))
    if (reply.error && (reply.id === undefined || reply.id === id)) throw reply.error
    if (reply.id !== id) throw new UpstreamError(`the reply is to call ${reply.id}, not to ${id}`)
    return reply.result
  }

  close(): void {
    this.#agent.destroy()
  }

  #limitsOf(method: string): ReplyLimits {
    return this.#isTrusted ? unlimited : limitsOf(method)
  }

  /** Holds the reply to so many calls of a method, up to their limit. */
  #hold(method: string, calls: number): ReplyConsumer {
    const maxBytes = Math.min(this.#maxReplyBytes, this.#limitsOf(method).bytes * calls)
    const pieces: Buffer[] = []
    let length = 0
    return {
      push: (piece) => {
        length += piece.length
        pieces.push(piece)
        if (length > maxBytes)
          throw new TransportError(`the reply to ${method} is larger than ${maxBytes} bytes`)
      },
      end: () => Buffer.concat(pieces),
    }
  }

  #post(
    body: string,
    { signal, timeoutMs, idleMs }: StreamOptions,
    consumer: ReplyConsumer,
  ): Promise<Buffer> {
    return new Promise((resolve, reject) => {
      const headers = {
        ...this.#headers,
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body),
        'accept-encoding': 'identity',
      }
      const send = this.#url.protocol === 'https:' ? secureRequest : plainRequest
      const sent = send(this.#url, { method: 'POST', agent: this.#agent, headers })
      const fail = (error: Error): void => {
        cancel()
        sent.destroy()
        reject(error)
      }
      const failToAnswer = (error: NodeJS.ErrnoException): void =>
        fail(error instanceof TransportError ? error : new TransportError(error.message, error.code))
      const cancelTotal = onTimeoutOrAbort(signal, timeoutMs, failToAnswer)
      let cancelIdle: (() => void) | undefined
      const restartIdle = (): void => {
        cancelIdle?.()
        if (idleMs !== undefined) cancelIdle = onTimeoutOrAbort(undefined, idleMs, failToAnswer)
      }
      const cancel = (): void => {
        cancelTotal()
        cancelIdle?.()
      }
      // Until then it waits for other calls, and the node has not been asked.
      sent.on('socket', restartIdle)
      sent.on('error', failToAnswer)
      sent.on('response', (reply) => {
        if (isRateLimit(reply.statusCode, reply.headers['retry-after']))
          return fail(rateLimitError(reply.headers['retry-after']))
        // A proxy in front of a node answers with an HTML page if the node is down.
        let isJson: boolean | undefined
        const consume = (piece: Buffer): void => {
          isJson ??= piece[0] === 0x7b || reply.statusCode === 200
          if (isJson) consumer.push(piece)
        }
        reply.on('data', (piece: Buffer) => {
          restartIdle()
          try {
            consume(piece)
          } catch (error) {
            reply.removeAllListeners('data')
            fail(error as Error)
          }
        })
        reply.on('error', failToAnswer)
        reply.on('aborted', () => fail(new TransportError('the reply ended before its end')))
        reply.on('end', () => {
          cancel()
          if (!isJson) return fail(new TransportError(`the response has status ${reply.statusCode}`))
          try {
            resolve(consumer.end())
          } catch (error) {
            fail(error as Error)
          }
        })
      })
      sent.end(body)
    })
  }
}
