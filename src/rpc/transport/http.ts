import { isUtf8 } from 'node:buffer'
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Logger } from '../../base/log.ts'
import type { JsonRpcSettings } from '../../config/settings.ts'
import type { Caller } from '../access/access.ts'
import type { RateLimiter } from '../access/rateLimit.ts'
import {
  drainingRejection,
  type HttpRejection,
  isHttpRejection,
  type RequestGuard,
} from '../access/requestGuard.ts'
import { PiecedResponse, responseBytes } from '../dispatch/batchResponse.ts'
import type { InternalErrors } from '../dispatch/internalErrors.ts'
import {
  type Message,
  type RequestHandler,
  type ResponseBody,
  StreamedResponse,
} from '../dispatch/requestHandler.ts'
import { RequestScope } from '../dispatch/requestScope.ts'
import { unavailable } from '../errors.ts'
import type { MemoryBudget } from '../memoryBudget.ts'
import type { RpcMetrics } from '../metrics.ts'
import { ChunkBuffer } from './chunkBuffer.ts'
import { chooseCoding, compress, compressionBytes, createCompressor } from './compression.ts'
import { failPage, type Pages, sendPage } from './pages.ts'
import type { Site } from './site.ts'
import type { UnreadResponses } from './unreadResponses.ts'

export type HttpOptions = Pick<JsonRpcSettings, 'maxBodySize' | 'httpTimeout' | 'compression'>

/** Tells clients at which height they were answered, and has them wait for one that they saw elsewhere. */
export interface AnswerHeights {
  current(): number
  /** Resolves with whether a height is reached in time. */
  waitFor(height: number): Promise<boolean>
}

export interface HttpDependencies {
  readonly guard: RequestGuard
  readonly requestHandler: RequestHandler
  readonly rateLimiter: RateLimiter
  readonly pages: Pages
  /** The files for browsers; undefined if there are none. */
  readonly site?: Site | undefined
  /** The heights of answers; undefined if they are not told. */
  readonly heights?: AnswerHeights | undefined
  readonly metrics: RpcMetrics
  readonly internalErrors: InternalErrors
  /** Shared by all listeners of a server. */
  readonly unreadResponses: UnreadResponses
  /** Shared by all transports of a server. */
  readonly budget: MemoryBudget
  readonly log: Logger
}

const heightHeader = 'X-Perihelion-Height'

/** The text that stands for bytes that are not UTF-8; the parser rejects it as invalid JSON. */
const notJson = ''

/** A rejected client may send this many times the largest body before its connection is destroyed. */
const discardFactor = 4

/** Handles the requests of an HTTP server: one POST route, and the pages for GET. */
export class HttpHandler {
  readonly #options: HttpOptions
  readonly #dependencies: HttpDependencies
  /** The connections that are closed after a rejection. What they send is not run: nobody knows where a request begins. */
  readonly #rejected = new WeakSet<Socket>()
  #isDraining = false

  constructor(options: HttpOptions, dependencies: HttpDependencies) {
    this.#options = options
    this.#dependencies = dependencies
  }

  /** Makes new requests get status 503 and connections close after their current response. */
  drain(): void {
    this.#isDraining = true
  }

  handle(request: IncomingMessage, response: ServerResponse): void {
    const { guard } = this.#dependencies
    if (this.#rejected.has(request.socket)) return void request.resume()
    const hostRejection = guard.checkHost(request)
    if (hostRejection !== undefined) return this.reject(request, response, hostRejection)
    if (request.headers.origin !== undefined) {
      this.#setCorsHeaders(request.headers, response)
      // A preflight executes nothing, and its answer without CORS headers tells the browser.
      const rejection = request.method === 'OPTIONS' ? undefined : guard.checkOrigin(request.headers)
      if (rejection !== undefined) return this.reject(request, response, rejection)
    }
    if (this.#isDraining) response.setHeader('Connection', 'close')
    if (request.method === 'POST') return this.#handlePost(request, response)
    request.resume()
    if (request.method === 'OPTIONS') {
      response.writeHead(204).end()
      return
    }
    if (request.method === 'GET' || request.method === 'HEAD') return this.#handleGet(request, response)
    this.#rejectMethod(request, response)
  }

  #rejectMethod(request: IncomingMessage, response: ServerResponse): void {
    const message = 'JSON-RPC takes POST'
    const headers = { Allow: 'POST, OPTIONS' }
    this.reject(request, response, { status: 405, reason: 'method', message, headers })
  }

  #handleGet(request: IncomingMessage, response: ServerResponse): void {
    const { pages, site, guard, log } = this.#dependencies
    const page = pages.find(request.url)
    if (page !== undefined) return sendPage(page, request, response, log)
    if (site === undefined) return this.#rejectMethod(request, response)
    site
      .find(request.url, guard.hasKeys)
      .then((file) =>
        file === undefined ? this.#rejectMethod(request, response) : site.send(file, response),
      )
      .catch((error: unknown) => failPage(error, request, response, log))
  }

  reject(request: IncomingMessage, response: ServerResponse, rejection: HttpRejection): void {
    this.#dependencies.guard.countRejection(rejection)
    const body = `${rejection.message}\n`
    if (request.method === 'POST') this.#rejected.add(request.socket)
    response.writeHead(rejection.status, {
      'Content-Type': 'text/plain; charset=utf-8',
      'Content-Length': Buffer.byteLength(body),
      // Without reading the body there is no next request on this connection.
      ...(request.method === 'POST' && { Connection: 'close' }),
      ...rejection.headers,
    })
    // Closing while the client still sends would reset the connection before it has read the response.
    response.write(body)
    request.on('end', () => response.end())
    this.#discard(request)
  }

  /** Reads and drops what a rejected client still sends, up to a limit. */
  #discard(request: IncomingMessage): void {
    let discarded = 0
    request.on('data', (chunk: Buffer) => {
      discarded += chunk.length
      if (discarded > discardFactor * this.#options.maxBodySize) request.destroy()
    })
  }

  #setCorsHeaders({ origin = '', host }: IncomingHttpHeaders, response: ServerResponse): void {
    response.setHeader('Vary', 'Origin')
    const allowed = this.#dependencies.guard.originPolicy.corsOrigin(origin, host)
    if (allowed === undefined) return
    response.setHeader('Access-Control-Allow-Origin', allowed)
    if (response.req.method !== 'OPTIONS') return
    response.setHeader('Access-Control-Allow-Methods', 'POST, GET, OPTIONS')
    // If every page may call, none may send a token, because it could only have stolen it.
    const headers = allowed === '*' ? 'Content-Type' : 'Content-Type, Authorization'
    const { hasKeys } = this.#dependencies.guard
    response.setHeader('Access-Control-Allow-Headers', hasKeys ? `${headers}, X-Api-Key` : headers)
    response.setHeader('Access-Control-Max-Age', '600')
  }

  #handlePost(request: IncomingMessage, response: ServerResponse): void {
    if (this.#isDraining) return this.reject(request, response, drainingRejection)
    const caller = this.#dependencies.guard.identify(request, 'http')
    if (isHttpRejection(caller)) return this.reject(request, response, caller)
    const rejection = this.#checkContent(request)
    if (rejection !== undefined) return this.reject(request, response, rejection)
    this.#receive(request, response, caller)
  }

  /** Reads a body within the budget. */
  #receive(request: IncomingMessage, response: ServerResponse, caller: Caller): void {
    const { budget } = this.#dependencies
    const body = new ChunkBuffer()
    /** Gives back what the body took of the budget. */
    const release = (): void => {
      budget.give(body.size)
      body.take()
    }
    const receive = (chunk: Buffer): void => {
      // A body in one piece ends at once; any other may never end.
      if (body.size === 0 && Number(request.headers['content-length']) !== chunk.length)
        request.once('close', release)
      const rejection =
        body.size + chunk.length > this.#options.maxBodySize
          ? this.#tooLarge()
          : budget.take(chunk.length, body.size)
            ? undefined
            : this.#tooBusy()
      if (rejection === undefined) return body.add(chunk)
      release()
      request.off('data', receive)
      request.off('end', complete)
      this.reject(request, response, rejection)
    }
    const complete = (): void => {
      budget.give(body.size)
      const { heights } = this.#dependencies
      const height = heights && Number(request.headers['x-perihelion-min-height'] ?? 0)
      if (heights === undefined || !height || height <= heights.current())
        return this.#respond(body.take(), caller, response)
      const content = body.take()
      void heights
        .waitFor(height)
        .then((isReached) => this.#respond(content, caller, response, isReached ? undefined : height))
    }
    request.on('data', receive)
    request.on('end', complete)
  }

  #checkContent({ headers }: IncomingMessage): HttpRejection | undefined {
    if (!isJson(headers['content-type'])) {
      const message =
        'the content type must be application/json: send the header "Content-Type: application/json"'
      return { status: 415, reason: 'content-type', message }
    }
    const coding = headers['content-encoding']?.trim().toLowerCase()
    if (coding !== undefined && coding !== 'identity') {
      const message = 'compressed request bodies are not accepted: send the body without Content-Encoding'
      return { status: 415, reason: 'content-type', message }
    }
    return Number(headers['content-length']) > this.#options.maxBodySize ? this.#tooLarge() : undefined
  }

  #tooLarge(): HttpRejection {
    const message = `the body is larger than ${this.#options.maxBodySize} bytes (max-body-size)`
    return { status: 413, reason: 'body-size', message }
  }

  /** Rejects a body for which there is no memory. The client cannot be told an id, because the body was not read. */
  #tooBusy(): HttpRejection {
    const { message } = this.#dependencies.budget.refusal()
    return { status: 503, reason: 'memory', message, headers: { 'Retry-After': '1' } }
  }

  #respond(body: Buffer, caller: Caller, response: ServerResponse, missedHeight?: number): void {
    const { requestHandler, rateLimiter, budget, internalErrors } = this.#dependencies
    const scope = new RequestScope(caller, this.#options.httpTimeout, rateLimiter, budget)
    const { length } = body
    try {
      const text = isUtf8(body) ? body.toString() : notJson
      const result =
        missedHeight === undefined
          ? requestHandler.handle(text, scope)
          : requestHandler.refuse(text, unavailable(`block ${missedHeight} is not here yet`))
      if (!(result instanceof Promise)) return this.#send(result, length, scope, response)
      response.once('close', () => scope.abandon())
      result
        .then((settled) => {
          internalErrors.contain('response', () => scope.close())
          this.#send(settled, length, scope, response)
        })
        .catch((error: unknown) => this.#fail(error, scope, response))
    } catch (error) {
      this.#fail(error, scope, response)
    }
  }

  #send(content: ResponseBody, requestBytes: number, scope: RequestScope, response: ServerResponse): void {
    if (content instanceof StreamedResponse) return this.#sendStreamed(content, requestBytes, scope, response)
    const body = content ?? ''
    const bytes = responseBytes(body)
    this.#dependencies.metrics.observeSizes(requestBytes, bytes)
    const accepted = response.req.headers['accept-encoding']
    const coding = chooseCoding(accepted, bytes, this.#options.compression, scope.caller.isLocal)
    // Where memory is short the client gets the response as it is.
    if (coding === undefined || !scope.reserve(compressionBytes(coding, bytes)))
      return this.#write(response, body, bytes, scope)
    compress(body, coding)
      .then((compressed) => {
        const compressedBytes = responseBytes(compressed)
        scope.keep(compressedBytes)
        response.setHeader('Content-Encoding', coding)
        response.appendHeader('Vary', 'Accept-Encoding')
        this.#write(response, compressed, compressedBytes, scope)
      })
      .catch((error: unknown) => this.#fail(error, scope, response))
  }

  /** Sends a response in pieces, no faster than the client reads. */
  #sendStreamed(
    content: StreamedResponse,
    requestBytes: number,
    scope: RequestScope,
    response: ServerResponse,
  ): void {
    const { metrics, log } = this.#dependencies
    const { socket } = response.req
    if (response.destroyed || socket.destroyed) {
      content.dispose()
      return scope.release()
    }
    metrics.observeSizes(requestBytes, content.size)
    const accepted = response.req.headers['accept-encoding']
    const wanted = chooseCoding(accepted, content.size, this.#options.compression, scope.caller.isLocal)
    const coding = wanted !== undefined && scope.reserve(compressionBytes(wanted, 0)) ? wanted : undefined
    response.setHeader('Content-Type', 'application/json')
    const { heights } = this.#dependencies
    if (heights !== undefined) response.setHeader(heightHeader, String(heights.current()))
    if (this.#isDraining) response.setHeader('Connection', 'close')
    if (coding === undefined) response.setHeader('Content-Length', content.size)
    else {
      response.setHeader('Content-Encoding', coding)
      response.appendHeader('Vary', 'Accept-Encoding')
    }
    const source = Readable.from(content.pieces(), { objectMode: false, highWaterMark: 1 << 20 })
    let isOver = false
    const finish = (): void => {
      if (isOver) return
      isOver = true
      socket.off('close', leave)
      content.dispose()
      scope.release()
    }
    // A response behind another one of its socket is not told when the client leaves, and its pipeline never ends.
    const client = new AbortController()
    const leave = (): void => {
      client.abort()
      finish()
    }
    socket.once('close', leave)
    const options = { signal: client.signal }
    const sent =
      coding === undefined
        ? pipeline(source, response, options)
        : pipeline(source, createCompressor(coding), response, options)
    sent
      .catch((error: unknown) => {
        // A client that disconnected is not an error.
        if (!response.destroyed && !client.signal.aborted)
          log.error({ err: error }, 'failed to send a response')
        response.destroy()
      })
      .finally(finish)
  }

  #write(response: ServerResponse, body: Message, bytes: number, scope: RequestScope): void {
    // Nothing more is heard of a response whose client has left.
    if (response.destroyed || response.req.socket.destroyed) return scope.release()
    if (this.#isDraining) response.setHeader('Connection', 'close')
    // As a list, because Node sends this form with the least work.
    const headers = ['Content-Type', 'application/json', 'Content-Length', String(bytes)]
    const { heights } = this.#dependencies
    if (heights !== undefined) headers.push(heightHeader, String(heights.current()))
    response.writeHead(200, headers)
    if (body instanceof PiecedResponse) {
      response.cork()
      for (const piece of body.pieces) response.write(piece)
      response.end()
      response.uncork()
    } else {
      response.end(body)
    }
    this.#dependencies.unreadResponses.watch(response, bytes, scope)
  }

  #fail(error: unknown, scope: RequestScope, response: ServerResponse): void {
    scope.release()
    const { code, message } = this.#dependencies.internalErrors.record('response', error)
    if (response.headersSent) {
      response.destroy()
      return
    }
    const body = JSON.stringify({ jsonrpc: '2.0', id: null, error: { code, message } })
    response.writeHead(200, { 'Content-Type': 'application/json' }).end(body)
  }
}

/** Returns whether the content type is JSON; parameters such as a charset may follow. */
const isJson = (contentType: string | undefined): boolean =>
  contentType === 'application/json' ||
  contentType?.split(';', 1)[0]?.trim().toLowerCase() === 'application/json'
