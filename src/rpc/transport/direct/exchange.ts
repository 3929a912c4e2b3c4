import { type IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { KnownHead, RequestHead } from '../../access/requestGuard.ts'
import type { Message } from '../../dispatch/requestHandler.ts'
import type { RequestScope } from '../../dispatch/requestScope.ts'
import { bodyText } from '../http/bodyText.ts'
import type { DirectResponse } from '../http/responder.ts'
import type { Answer } from './answerWriter.ts'
import type { OrdinaryHead } from './requestHead.ts'

/** The connection of an exchange. */
export interface ExchangeConnection {
  readonly socket: Socket
  readonly keepAliveMs: number
  answer(exchange: DirectExchange, answer: Answer): void
  /** To be called when there is a response of Node for an exchange. */
  onNodeResponse(exchange: DirectExchange): void
  /** To be called when the response of Node for an exchange was written, whether the connection is to be closed or not. */
  onNodeFinished(exchange: DirectExchange, isLast: boolean): void
}

/** What node:http sets on the responses of its own requests, and reads when they are written. */
interface NodeResponse extends ServerResponse<IncomingMessage> {
  /** Named in the header Keep-Alive. */
  _keepAliveTimeout: number
  /** Whether the connection closes after this response. */
  readonly _last: boolean
}

const noBytes = Buffer.alloc(0)

/** A request that was read directly from its socket, and the way to its response. */
export class DirectExchange implements RequestHead, DirectResponse {
  readonly #connection: ExchangeConnection
  readonly #head: OrdinaryHead
  /** What holds the body, until it is read. */
  #bytes: Buffer
  readonly #bodyFrom: number
  /** The length of the body. */
  readonly length: number
  /** The response if others must be written before it. */
  waiting: Answer | undefined
  /** Whether the connection has nothing more to do for it. */
  isDone = false
  #response: NodeResponse | undefined
  #isAssigned = false
  #isGone = false
  #onGone: (() => void) | undefined

  /** `bytes` holds the body, from `bodyFrom` on. */
  constructor(
    connection: ExchangeConnection,
    head: OrdinaryHead,
    bytes: Buffer,
    bodyFrom: number,
    length: number,
  ) {
    this.#connection = connection
    this.#head = head
    this.#bytes = bytes
    this.#bodyFrom = bodyFrom
    this.length = length
  }

  get socket(): Socket {
    return this.#connection.socket
  }

  get url(): string {
    return this.#head.url
  }

  /** The headers. The length may be that of an earlier request. */
  get headers(): IncomingHttpHeaders {
    return this.#head.headers
  }

  get rawHeaders(): readonly string[] {
    return this.#head.rawHeaders
  }

  get known(): KnownHead {
    return this.#head.known
  }

  get acceptEncoding(): string | undefined {
    return this.#head.headers['accept-encoding'] as string | undefined // it is there once
  }

  get isGone(): boolean {
    return this.#isGone || this.socket.destroyed
  }

  /** Returns the text of the body, which is then given up. */
  readText(): string {
    const to = this.#bodyFrom + this.length
    const bytes = this.#bytes
    this.#bytes = noBytes
    return bodyText(bytes, this.#bodyFrom, to)
  }

  onceGone(listener: () => void): void {
    this.#onGone = listener
  }

  /** The client has left. */
  leave(): void {
    this.#isGone = true
    this.#onGone?.()
    this.waiting?.scope.release()
    this.waiting = undefined
    // A response that is not assigned does not hear of its socket.
    if (!this.#isAssigned) this.#closeResponse()
  }

  answer(body: Message, bytes: number, scope: RequestScope): void {
    this.#connection.answer(this, { body, bytes, scope })
  }

  toNode(): ServerResponse<IncomingMessage> & { readonly req: IncomingMessage } {
    if (this.#response === undefined) {
      this.#response = this.#createResponse()
      this.#connection.onNodeResponse(this)
    }
    return this.#response
  }

  /** Lets the response of Node write to the socket, if there is one: its turn has come. */
  assign(): void {
    if (this.#response === undefined || this.#isAssigned) return
    this.#isAssigned = true
    this.#response.assignSocket(this.socket)
  }

  /** Lets the response of Node write more, if it waits for that. */
  onDrain(): void {
    if (this.#isAssigned && this.#response?.writableNeedDrain) this.#response.emit('drain')
  }

  #createResponse(): NodeResponse {
    const request = new IncomingMessage(this.socket)
    const length = String(this.length)
    request.method = 'POST'
    request.url = this.url
    request.httpVersion = '1.1'
    request.httpVersionMajor = 1
    request.httpVersionMinor = 1
    request.headers = { ...this.headers, 'content-length': length }
    request.rawHeaders = this.rawHeaders.map((text, index) =>
      this.rawHeaders[index - 1]?.toLowerCase() === 'content-length' && index % 2 === 1 ? length : text,
    )
    request.complete = true
    request.push(this.#bytes.subarray(this.#bodyFrom, this.#bodyFrom + this.length))
    request.push(null)
    const response = new ServerResponse(request) as NodeResponse
    response._keepAliveTimeout = this.#connection.keepAliveMs
    response.on('finish', () => {
      response.detachSocket(this.socket)
      this.#connection.onNodeFinished(this, response._last)
      this.#closeResponse()
    })
    return response
  }

  /** Tells whoever watches the response that it is over, as node:http does. */
  #closeResponse(): void {
    const response = this.#response
    if (response === undefined) return
    response.destroyed = true
    process.nextTick(() => response.emit('close'))
  }
}
