import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { JsonRpcSettings } from '../../config/settings/settings.ts'
import type { Caller } from '../access/access.ts'
import {
  drainingRejection,
  type HttpRejection,
  isHttpRejection,
  type RequestGuard,
} from '../access/requestGuard.ts'
import { ChunkBuffer } from './chunkBuffer.ts'
import type { DirectExchange } from './direct/exchange.ts'
import { heightHeader, minHeightHeader, minHeightOf } from './http/answerHeights.ts'
import { bodyText, longText, readLongText } from './http/bodyText.ts'
import { maxWaiting, PipelineTurns } from './http/pipelineTurns.ts'
import { HttpResponder, type ResponderDependencies, type ResponderOptions } from './http/responder.ts'
import { failPage, type Pages, sendPage } from './pages.ts'
import type { Site } from './site.ts'

export type HttpOptions = ResponderOptions & Pick<JsonRpcSettings, 'maxBodySize'>

export interface HttpDependencies extends ResponderDependencies {
  readonly guard: RequestGuard
  readonly pages: Pages
  /** The files for browsers; undefined if there are none. */
  readonly site?: Site | undefined
}

/** A rejected client may send this many times the largest body before its connection is destroyed. */
const discardFactor = 4

/** Handles the requests of an HTTP server: one POST route, and the pages for GET. */
export class HttpHandler {
  readonly #options: HttpOptions
  readonly #dependencies: HttpDependencies
  readonly #responder: HttpResponder
  /** The connections that are closed after a rejection. What they send is not run: nobody knows where a request begins. */
  readonly #rejected = new WeakSet<Socket>()
  readonly #turns: PipelineTurns
  #isDraining = false

  constructor(options: HttpOptions, dependencies: HttpDependencies) {
    this.#options = options
    this.#dependencies = dependencies
    this.#responder = new HttpResponder(options, dependencies)
    this.#turns = new PipelineTurns((socket, error) => {
      dependencies.internalErrors.record('transport', error)
      socket.destroy()
    })
  }

  /** Makes new requests get status 503 and connections close after their current response. */
  drain(): void {
    this.#isDraining = true
    this.#responder.drain()
  }

  /**
   * Handles a POST that was read from its socket with its whole body. Where anything about it is not as usual it goes the
   * way of every other request.
   */
  handleDirect(exchange: DirectExchange): void {
    const { guard, budget } = this.#dependencies
    if (this.#rejected.has(exchange.socket)) return
    const { length } = exchange
    const isUsual = !this.#isDraining && this.#isUsualHead(exchange) && length <= this.#options.maxBodySize
    if (!isUsual || !budget.hasRoom(length, 0)) {
      const response = exchange.toNode()
      return this.handle(response.req, response)
    }
    const caller = guard.identify(exchange, 'http')
    if (!isHttpRejection(caller))
      return this.#responder.respond(
        exchange.readText(),
        length,
        caller,
        exchange,
        minHeightOf(exchange.headers),
      )
    const response = exchange.toNode()
    this.reject(response.req, response, caller)
  }

  handle(request: IncomingMessage, response: ServerResponse): void {
    const { guard } = this.#dependencies
    if (this.#rejected.has(request.socket)) return void request.resume()
    const hostRejection = guard.checkHost(request)
    if (hostRejection !== undefined) return this.reject(request, response, hostRejection)
    if (request.headers.origin !== undefined) {
      this.#setCorsHeaders(request.headers, response)
      // A preflight executes nothing, and its response without CORS headers tells the browser.
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
    if (request.method !== 'GET' && request.method !== 'HEAD') return this.#rejectMethod(request, response)
    const isRun = this.#turns.run(request.socket, () => {
      // The client may have left while the request waited.
      if (!request.socket.destroyed) this.#handleGet(request, response)
    })
    if (!isRun) this.reject(request, response, tooManyPipelined)
  }

  /** Returns whether the checks of a head find nothing to reject, and nothing to say in the response. */
  #isUsualHead(exchange: DirectExchange): boolean {
    const { guard } = this.#dependencies
    if (guard.knows(exchange)) return true
    const { headers } = exchange
    const isUsual =
      headers.origin === undefined &&
      guard.checkHost(exchange) === undefined &&
      this.#checkContent(headers, 0) === undefined
    if (isUsual) guard.remember(exchange)
    return isUsual
  }

  #rejectMethod(request: IncomingMessage, response: ServerResponse): void {
    const message = 'JSON-RPC takes POST'
    const headers = { Allow: 'POST, OPTIONS' }
    this.reject(request, response, { status: 405, reason: 'method', message, headers })
  }

  #handleGet(request: IncomingMessage, response: ServerResponse): void {
    const { pages, site, guard, log } = this.#dependencies
    const page = pages.find(request.url)
    if (page !== undefined)
      return sendPage(page, request, response, log, (bytes) => this.#watchPage(response, bytes))
    if (site === undefined) return this.#rejectMethod(request, response)
    site
      .find(request.url, guard.hasKeys)
      .then((file) =>
        file === undefined ? this.#rejectMethod(request, response) : site.send(file, response),
      )
      .catch((error: unknown) => failPage(error, request, response, log))
  }

  /** Counts a page until it is read. Many clients may share its bytes, yet each is counted as if it had its own. */
  #watchPage(response: ServerResponse, bytes: number): void {
    const { budget, unreadResponses } = this.#dependencies
    budget.count(bytes)
    unreadResponses.watchResponse(response, bytes, { release: () => budget.give(bytes) })
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
    const isWritten = new Promise((resolve) => response.write(body, resolve))
    // A request that was read while its file was looked for has emitted its end.
    const end = (): void => {
      // The responses to the requests before it come first.
      if (rejection.lingerMs !== undefined)
        void isWritten.then(() => setTimeout(() => response.end(), rejection.lingerMs))
      else response.end()
    }
    if (request.readableEnded) end()
    else {
      request.on('end', end)
      this.#discard(request)
    }
  }

  /** Reads and drops what a rejected client still sends, up to a limit. */
  #discard(request: IncomingMessage): void {
    let discarded = 0
    request.on('data', (chunk: Buffer) => {
      discarded += chunk.length
      if (discarded > discardFactor * this.#options.maxBodySize) request.destroy()
    })
  }

  #setCorsHeaders(given: IncomingHttpHeaders, response: ServerResponse): void {
    const { origin = '', host, 'access-control-request-headers': asked = '' } = given
    response.setHeader('Vary', 'Origin')
    const allowed = this.#dependencies.guard.originPolicy.corsOrigin(origin, host)
    if (allowed === undefined) return
    response.setHeader('Access-Control-Allow-Origin', allowed)
    if (response.req.method !== 'OPTIONS') {
      // Pages read no header that is not named.
      response.setHeader('Access-Control-Expose-Headers', heightHeader)
      return
    }
    response.setHeader('Access-Control-Allow-Methods', 'POST, GET, OPTIONS')
    // If every page may call, none may send a token, because it could only have stolen it.
    const headers = ['Content-Type']
    if (allowed !== '*') headers.push('Authorization')
    if (this.#dependencies.guard.hasKeys) headers.push('X-Api-Key')
    if (asked.toLowerCase().includes(minHeightHeader)) headers.push(minHeightHeader)
    response.setHeader('Access-Control-Allow-Headers', headers.join(', '))
    response.setHeader('Access-Control-Max-Age', '600')
  }

  #handlePost(request: IncomingMessage, response: ServerResponse): void {
    if (this.#isDraining) return this.reject(request, response, drainingRejection)
    const caller = this.#dependencies.guard.identify(request, 'http')
    if (isHttpRejection(caller)) return this.reject(request, response, caller)
    const rejection = this.#checkContent(request.headers, Number(request.headers['content-length']))
    if (rejection !== undefined) return this.reject(request, response, rejection)
    this.#receive(request, response, caller)
  }

  /** Reads a body within the budget. */
  #receive(request: IncomingMessage, response: ServerResponse, caller: Caller): void {
    const { budget, internalErrors } = this.#dependencies
    const length = Number(request.headers['content-length'])
    const body = new ChunkBuffer(length || 0)
    /** Gives back what the body took of the budget. */
    const release = (): void => {
      budget.give(body.size)
      body.take()
    }
    const receive = (chunk: Buffer): void => {
      // A body in one piece ends at once; any other may never end.
      if (body.size === 0 && length !== chunk.length) request.once('close', release)
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
      const bytes = body.take()
      const serve = (text: string): void => {
        budget.give(bytes.length)
        if (request.socket.destroyed) return
        this.#responder.respond(text, bytes.length, caller, response, minHeightOf(request.headers))
      }
      const isRun = this.#turns.run(request.socket, () => {
        if (bytes.length < longText) return serve(bodyText(bytes, 0, bytes.length))
        readLongText(bytes)
          .then(serve)
          .catch((error: unknown) => {
            internalErrors.record('transport', error)
            request.socket.destroy()
          })
      })
      if (isRun) return
      budget.give(bytes.length)
      this.reject(request, response, tooManyPipelined)
    }
    request.on('data', receive)
    request.on('end', complete)
  }

  /** Returns the rejection of a body that is not JSON or, by its length if that is known, too long. */
  #checkContent(headers: IncomingHttpHeaders, length: number): HttpRejection | undefined {
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
    return length > this.#options.maxBodySize ? this.#tooLarge() : undefined
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
}

const tooManyPipelined: HttpRejection = {
  status: 429,
  reason: 'pipeline',
  message: `more than ${maxWaiting} requests wait on one connection: wait for responses, or send a batch`,
  headers: { Connection: 'close' },
  lingerMs: 200,
}

/** Returns whether the content type is JSON; parameters such as a charset may follow. */
const isJson = (contentType: string | undefined): boolean =>
  contentType === 'application/json' ||
  contentType?.split(';', 1)[0]?.trim().toLowerCase() === 'application/json'
