import { ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Logger } from '../../../base/logging/log.ts'
import type { JsonRpcSettings } from '../../../config/settings/settings.ts'
import { type Caller, clientOf } from '../../access/access.ts'
import type { RateLimiter } from '../../access/rateLimit.ts'
import { PiecedResponse, responseBytes } from '../../dispatch/batchResponse.ts'
import type { InternalErrors } from '../../dispatch/internalErrors.ts'
import {
  type Message,
  type RequestHandler,
  type ResponseBody,
  StreamedResponse,
} from '../../dispatch/requestHandler.ts'
import { RequestScope } from '../../dispatch/requestScope.ts'
import { invalidParams, unavailable } from '../../errors.ts'
import type { MemoryBudget } from '../../memoryBudget.ts'
import type { RpcMetrics } from '../../metrics.ts'
import { type AnswerHeights, heightHeader, minHeightHeader } from './answerHeights.ts'
import { chooseCoding, compress, compressionBytes, createCompressor } from './compression.ts'
import type { UnreadResponses } from './unreadResponses.ts'

export type ResponderOptions = Pick<JsonRpcSettings, 'httpTimeout' | 'compression'>

export interface ResponderDependencies {
  readonly requestHandler: RequestHandler
  readonly rateLimiter: RateLimiter
  readonly metrics: RpcMetrics
  readonly internalErrors: InternalErrors
  /** Shared by all listeners of a server. */
  readonly unreadResponses: UnreadResponses
  /** The heights of answers; undefined if they are not told. */
  readonly heights?: AnswerHeights | undefined
  /** Shared by all transports of a server. */
  readonly budget: MemoryBudget
  readonly log: Logger
}

/** The way to the client of a request that was read directly from its socket. */
export interface DirectResponse {
  readonly acceptEncoding: string | undefined
  /** Whether the client has left. */
  readonly isGone: boolean
  /** Calls `listener` when the client leaves before it has its response. */
  onceGone(listener: () => void): void
  /** Sends a body with status 200, and releases the scope when it was read. */
  answer(body: Message, bytes: number, scope: RequestScope): void
  /** Returns a response of Node for the request, for what is sent in another way. */
  toNode(): ServerResponse
}

type Target = ServerResponse | DirectResponse

/** Runs the body of a POST and sends its response, which node:http writes or, if it is short, the connection itself. */
export class HttpResponder {
  readonly #options: ResponderOptions
  readonly #dependencies: ResponderDependencies
  #isDraining = false

  constructor(options: ResponderOptions, dependencies: ResponderDependencies) {
    this.#options = options
    this.#dependencies = dependencies
  }

  /** Makes connections close after their current response. */
  drain(): void {
    this.#isDraining = true
  }

  /** Runs a body of `bytes` bytes, once a height is there that its client has seen. */
  respond(text: string, bytes: number, caller: Caller, target: Target, minHeight: number): void {
    const { requestHandler, rateLimiter, budget, internalErrors } = this.#dependencies
    const scope = new RequestScope(caller, this.#options.httpTimeout, rateLimiter, budget)
    try {
      const { heights } = this.#dependencies
      const result =
        heights === undefined || minHeight <= heights.current()
          ? requestHandler.handle(text, scope)
          : this.#handleAt(minHeight, heights, text, bytes, scope)
      if (!(result instanceof Promise)) return this.#send(result, bytes, scope, target)
      onceGone(target, () => scope.abandon())
      result
        .then((settled) => {
          internalErrors.contain('response', () => scope.close())
          this.#send(settled, bytes, scope, target)
        })
        .catch((error: unknown) => this.#fail(error, scope, target))
    } catch (error) {
      this.#fail(error, scope, target)
    }
  }

  async #handleAt(
    height: number,
    heights: AnswerHeights,
    text: string,
    bytes: number,
    scope: RequestScope,
  ): Promise<ResponseBody> {
    const { requestHandler } = this.#dependencies
    if (Number.isNaN(height))
      return requestHandler.refuse(
        text,
        invalidParams(`${minHeightHeader}: expected a height in decimal`),
        scope,
      )
    // It counts while it waits.
    if (!scope.reserve(bytes)) return requestHandler.refuse(text, scope.refusal(), scope)
    const isReached = await heights.waitFor(height, clientOf(scope.caller))
    scope.keep(0)
    if (isReached) return requestHandler.handle(text, scope)
    return requestHandler.refuse(text, unavailable(`height ${height} is not reached yet`), scope)
  }

  #send(content: ResponseBody, requestBytes: number, scope: RequestScope, target: Target): void {
    if (content instanceof StreamedResponse)
      return this.#sendStreamed(content, requestBytes, scope, responseOf(target))
    const body = content ?? ''
    const bytes = responseBytes(body)
    this.#dependencies.metrics.observeSizes(requestBytes, bytes)
    const coding = chooseCoding(codingsOf(target), bytes, this.#options.compression, scope.caller.isLocal)
    // Where memory is short the client gets the response as it is.
    if (coding === undefined || !scope.reserve(compressionBytes(coding, bytes)))
      return this.#write(target, body, bytes, scope)
    const response = responseOf(target)
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
    if (isGone(response)) {
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

  #write(target: Target, body: Message, bytes: number, scope: RequestScope): void {
    // Nothing more is heard of a response whose client has left.
    if (isGone(target)) return scope.release()
    // A connection that closes after its response is left to Node.
    if (!(target instanceof ServerResponse) && !this.#isDraining) return target.answer(body, bytes, scope)
    const response = responseOf(target)
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
    this.#dependencies.unreadResponses.watchResponse(response, bytes, scope)
  }

  #fail(error: unknown, scope: RequestScope, target: Target): void {
    scope.release()
    const { code, message } = this.#dependencies.internalErrors.record('response', error)
    const response = responseOf(target)
    if (response.headersSent) {
      response.destroy()
      return
    }
    const body = JSON.stringify({ jsonrpc: '2.0', id: null, error: { code, message } })
    response.writeHead(200, { 'Content-Type': 'application/json' }).end(body)
  }
}

const responseOf = (target: Target): ServerResponse =>
  target instanceof ServerResponse ? target : target.toNode()

const codingsOf = (target: Target): string | undefined =>
  target instanceof ServerResponse ? target.req.headers['accept-encoding'] : target.acceptEncoding

const isGone = (target: Target): boolean =>
  target instanceof ServerResponse ? target.destroyed || target.req.socket.destroyed : target.isGone

const onceGone = (target: Target, listener: () => void): void => {
  if (target instanceof ServerResponse) target.once('close', listener)
  else target.onceGone(listener)
}
