import { isUtf8 } from 'node:buffer'
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Logger } from '../../base/log.ts'
import type { JsonRpcSettings } from '../../config/settings.ts'
import type { Caller } from '../access/access.ts'
import { draining, type Entry, isRefusal, type Refusal } from '../access/entry.ts'
import type { RateLimiter } from '../access/rateLimit.ts'
import { type Answer, type Answerer, LongAnswer } from '../dispatch/answer.ts'
import { RequestScope } from '../dispatch/scope.ts'
import type { RpcMetrics } from '../metrics.ts'
import { chooseCoding, compress, createCompressor } from './compression.ts'
import { Gather } from './gather.ts'
import type { Pages } from './pages.ts'
import type { SlowReaders } from './slowReaders.ts'

export type HttpOptions = Pick<JsonRpcSettings, 'maxBodySize' | 'httpTimeout' | 'compression'>

export interface HttpDependencies {
  readonly entry: Entry
  readonly answerer: Answerer
  readonly rateLimiter: RateLimiter
  readonly pages: Pages
  readonly metrics: RpcMetrics
  /** Shared by all listeners of a server. */
  readonly slowReaders: SlowReaders
  readonly log: Logger
}

/** Bytes that are not UTF-8 are not JSON either; this text says so to the parser. */
const notJson = ''

/** A client that was refused may send this many times the largest body before it is cut. */
const discardFactor = 4

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
    if (request.headers.origin !== undefined) this.#setCorsHeaders(request.headers, response)
    if (this.#isDraining) response.setHeader('Connection', 'close')
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
    // Closing while the client still sends would reset the connection under the answer, so the end waits for it.
    response.write(body)
    request.on('end', () => response.end())
    this.#discard(request)
  }

  /** Reads what a client that was refused goes on sending, but not for ever. */
  #discard(request: IncomingMessage): void {
    let discarded = 0
    request.on('data', (chunk: Buffer) => {
      discarded += chunk.length
      if (discarded > discardFactor * this.#options.maxBodySize) request.destroy()
    })
  }

  #setCorsHeaders({ origin = '', host }: IncomingHttpHeaders, response: ServerResponse): void {
    response.setHeader('Vary', 'Origin')
    const allowed = this.#dependencies.entry.gate.corsOrigin(origin, host)
    if (allowed === undefined) return
    response.setHeader('Access-Control-Allow-Origin', allowed)
    if (response.req.method !== 'OPTIONS') return
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
    const body = new Gather()
    const receive = (chunk: Buffer): void => {
      body.add(chunk)
      if (body.size <= this.#options.maxBodySize) return
      request.off('data', receive)
      request.off('end', complete)
      this.refuse(request, response, this.#tooLarge())
    }
    const complete = (): void => this.#answer(body.take(), caller, response)
    request.on('data', receive)
    request.on('end', complete)
  }

  #checkContent({ headers }: IncomingMessage): Refusal | undefined {
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

  #tooLarge(): Refusal {
    const message = `the body is larger than ${this.#options.maxBodySize} bytes (max-body-size)`
    return { status: 413, reason: 'body-size', message }
  }

  #answer(body: Buffer, caller: Caller, response: ServerResponse): void {
    const { answerer, rateLimiter } = this.#dependencies
    const scope = new RequestScope(caller, this.#options.httpTimeout, rateLimiter)
    const answer = answerer.answer(isUtf8(body) ? body.toString() : notJson, scope)
    if (!(answer instanceof Promise)) return this.#send(answer, body.length, caller, response)
    response.once('close', () => scope.abort())
    answer
      .then((settled) => {
        scope.close()
        this.#send(settled, body.length, caller, response)
      })
      .catch((error: unknown) => this.#fail(error, response))
  }

  #send(answer: Answer, requestBytes: number, caller: Caller, response: ServerResponse): void {
    if (answer instanceof LongAnswer) return this.#sendLong(answer, requestBytes, caller, response)
    const body = answer ?? ''
    const bytes = typeof body === 'string' ? Buffer.byteLength(body) : body.length
    this.#dependencies.metrics.observeSizes(requestBytes, bytes)
    const accepted = response.req.headers['accept-encoding']
    const coding = chooseCoding(accepted, bytes, this.#options.compression, caller.isLocal)
    if (coding === undefined) return this.#write(response, body, bytes)
    compress(body, coding)
      .then((compressed) => {
        response.setHeader('Content-Encoding', coding)
        response.appendHeader('Vary', 'Accept-Encoding')
        this.#write(response, compressed, compressed.length)
      })
      .catch((error: unknown) => this.#fail(error, response))
  }

  /** Piece by piece, no faster than the client reads. */
  #sendLong(answer: LongAnswer, requestBytes: number, caller: Caller, response: ServerResponse): void {
    const { metrics, log } = this.#dependencies
    metrics.observeSizes(requestBytes, answer.size)
    const accepted = response.req.headers['accept-encoding']
    const coding = chooseCoding(accepted, answer.size, this.#options.compression, caller.isLocal)
    response.setHeader('Content-Type', 'application/json')
    if (this.#isDraining) response.setHeader('Connection', 'close')
    if (coding === undefined) response.setHeader('Content-Length', answer.size)
    else {
      response.setHeader('Content-Encoding', coding)
      response.appendHeader('Vary', 'Accept-Encoding')
    }
    const source = Readable.from(answer.pieces(), { objectMode: false, highWaterMark: 1 << 20 })
    const sent =
      coding === undefined ? pipeline(source, response) : pipeline(source, createCompressor(coding), response)
    sent
      .catch((error: unknown) => {
        // A client that went away is no error of ours.
        if (!response.destroyed) log.error({ err: error }, 'an answer could not be sent')
        response.destroy()
      })
      .finally(() => answer.dispose())
  }

  #write(response: ServerResponse, body: string | Buffer, bytes: number): void {
    if (this.#isDraining) response.setHeader('Connection', 'close')
    // As a list: of all forms the one that Node sends with the least work.
    response.writeHead(200, ['Content-Type', 'application/json', 'Content-Length', String(bytes)])
    response.end(body)
    this.#dependencies.slowReaders.watch(response, bytes)
  }

  #fail(error: unknown, response: ServerResponse): void {
    this.#dependencies.log.error({ err: error }, 'an answer could not be made')
    if (response.headersSent) response.destroy()
    else response.writeHead(500).end()
  }
}

/** Parameters such as a charset may follow. */
const isJson = (contentType: string | undefined): boolean =>
  contentType === 'application/json' ||
  contentType?.split(';', 1)[0]?.trim().toLowerCase() === 'application/json'
