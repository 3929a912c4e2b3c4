import { isUtf8 } from 'node:buffer'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Logger } from '../base/log.ts'
import type { Caller } from './access.ts'
import type { Answer, Answerer } from './answer.ts'
import { type CompressionMode, chooseCoding, compress } from './compression.ts'
import { draining, type Entry, isRefusal, type Refusal } from './entry.ts'
import type { RpcMetrics } from './metrics.ts'
import type { Pages } from './pages.ts'
import type { RateLimiter } from './rateLimit.ts'
import { RequestScope } from './scope.ts'

export interface HttpOptions {
  readonly maxBodySize: number
  readonly timeoutMs: number
  readonly compression: CompressionMode
}

export interface HttpDependencies {
  readonly entry: Entry
  readonly answerer: Answerer
  readonly rateLimiter: RateLimiter
  readonly pages: Pages
  readonly metrics: RpcMetrics
  readonly log: Logger
}

/** Bytes that are not UTF-8 are not JSON either; this text says so to the parser. */
const notJson = ''

/** Answers the requests of an HTTP server: one POST route, and the pages for GET. */
export class HttpHandler {
  readonly #options: HttpOptions
  readonly #dependencies: HttpDependencies
  #isDraining = false

  constructor(options: HttpOptions, dependencies: HttpDependencies) {
    this.#options = options
    this.#dependencies = dependencies
  }

  /** From now on requests get 503, and connections close after the answer that is under way. */
  drain(): void {
    this.#isDraining = true
  }

  handle(request: IncomingMessage, response: ServerResponse): void {
    const { entry, pages, log } = this.#dependencies
    const refusedHost = entry.checkHost(request.headers)
    if (refusedHost !== undefined) return this.refuse(request, response, refusedHost)
    this.#setCorsHeaders(request, response)
    if (request.method === 'POST') return this.#handlePost(request, response)
    request.resume()
    if (request.method === 'OPTIONS') {
      response.writeHead(204).end()
      return
    }
    const page = request.method === 'GET' || request.method === 'HEAD' ? pages.find(request.url) : undefined
    if (page === undefined) {
      const message = 'JSON-RPC takes POST'
      const headers = { Allow: 'POST, OPTIONS' }
      return this.refuse(request, response, { status: 405, reason: 'method', message, headers })
    }
    page().then(
      ({ status, type, body }) => {
        const headers = {
          'Content-Type': type,
          'Cache-Control': 'no-store',
          'X-Content-Type-Options': 'nosniff',
        }
        response.writeHead(status, headers).end(body)
      },
      (error: unknown) => {
        log.error({ err: error, page: request.url }, 'a page could not be made')
        response.writeHead(500).end()
      },
    )
  }

  refuse(request: IncomingMessage, response: ServerResponse, refusal: Refusal): void {
    this.#dependencies.entry.count(refusal)
    const body = `${refusal.message}\n`
    response.writeHead(refusal.status, {
      'Content-Type': 'text/plain; charset=utf-8',
      'Content-Length': Buffer.byteLength(body),
      // Without reading the body there is no next request on this connection.
      ...(request.method === 'POST' && { Connection: 'close' }),
      ...refusal.headers,
    })
    response.end(body)
    this.#discard(request)
  }

  /** Lets a client finish what it is sending, so that it gets to read why it was refused, but not for ever. */
  #discard(request: IncomingMessage): void {
    let discarded = 0
    request.on('data', (chunk: Buffer) => {
      discarded += chunk.length
      if (discarded > this.#options.maxBodySize) request.destroy()
    })
  }

  #setCorsHeaders(request: IncomingMessage, response: ServerResponse): void {
    const { origin, host } = request.headers
    if (origin === undefined) return
    response.setHeader('Vary', 'Origin')
    const allowed = this.#dependencies.entry.gate.corsOrigin(origin, host)
    if (allowed === undefined) return
    response.setHeader('Access-Control-Allow-Origin', allowed)
    if (request.method !== 'OPTIONS') return
    response.setHeader('Access-Control-Allow-Methods', 'POST, GET, OPTIONS')
    // Where every page may call, none may bring a token: a page cannot know one but by theft.
    response.setHeader(
      'Access-Control-Allow-Headers',
      allowed === '*' ? 'Content-Type' : 'Content-Type, Authorization',
    )
    response.setHeader('Access-Control-Max-Age', '600')
  }

  #handlePost(request: IncomingMessage, response: ServerResponse): void {
    if (this.#isDraining) return this.refuse(request, response, draining)
    const caller = this.#dependencies.entry.identify(request, 'http')
    if (isRefusal(caller)) return this.refuse(request, response, caller)
    const refusal = this.#checkContent(request)
    if (refusal !== undefined) return this.refuse(request, response, refusal)
    const chunks: Buffer[] = []
    let size = 0
    const receive = (chunk: Buffer): void => {
      size += chunk.length
      chunks.push(chunk)
      if (size <= this.#options.maxBodySize) return
      request.off('data', receive)
      request.off('end', complete)
      this.refuse(request, response, this.#tooLarge())
    }
    const complete = (): void => {
      const body = chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks)
      this.#answer(body, caller, request, response)
    }
    request.on('data', receive)
    request.on('end', complete)
  }

  #checkContent({ headers }: IncomingMessage): Refusal | undefined {
    const mediaType = headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase()
    if (mediaType !== 'application/json') {
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

  #tooLarge(): Refusal {
    const message = `the body is larger than ${this.#options.maxBodySize} bytes (max-body-size)`
    return { status: 413, reason: 'body-size', message }
  }

  #answer(body: Buffer, caller: Caller, request: IncomingMessage, response: ServerResponse): void {
    const { answerer, rateLimiter, log } = this.#dependencies
    const scope = new RequestScope(caller, this.#options.timeoutMs, rateLimiter)
    const answer = answerer.answer(isUtf8(body) ? body.toString() : notJson, scope)
    if (!(answer instanceof Promise)) return this.#send(answer, body.length, caller, request, response)
    response.once('close', () => scope.abort())
    answer
      .then((settled) => this.#send(settled, body.length, caller, request, response))
      .catch((error: unknown) => {
        log.error({ err: error }, 'an answer could not be made')
        response.writeHead(500).end()
      })
  }

  #send(
    answer: Answer,
    requestBytes: number,
    caller: Caller,
    request: IncomingMessage,
    response: ServerResponse,
  ): void {
    const body = answer ?? ''
    const bytes = typeof body === 'string' ? Buffer.byteLength(body) : body.length
    this.#dependencies.metrics.observeSizes(requestBytes, bytes)
    const coding = chooseCoding(
      request.headers['accept-encoding'],
      bytes,
      this.#options.compression,
      caller.isLocal,
    )
    if (coding === undefined) return this.#write(response, body, bytes)
    void compress(body, coding).then((compressed) => {
      response.setHeader('Content-Encoding', coding)
      response.appendHeader('Vary', 'Accept-Encoding')
      this.#write(response, compressed, compressed.length)
    })
  }

  #write(response: ServerResponse, body: string | Buffer, bytes: number): void {
    if (this.#isDraining) response.setHeader('Connection', 'close')
    response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': bytes })
    response.end(body)
  }
}
