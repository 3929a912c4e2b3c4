import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  connect,
  type IncomingHttpHeaders,
} from 'node:http2'
import { onTimeoutOrAbort } from '../../comet/client/deadline.ts'
import type { CallOptions, NodeHeaders } from '../../comet/client/httpClient.ts'
import {
  GrpcError,
  isRateLimit,
  RateLimitError,
  rateLimitError,
  TransportError,
} from '../../comet/data/transportErrors.ts'
import { UpstreamError } from '../../comet/data/upstreamError.ts'

const heightHeader = 'x-cosmos-block-height'
/** How many milliseconds a server wants to be left alone. */
const pushbackHeader = 'grpc-retry-pushback-ms'
const resourceExhausted = 8
/**
 * CANCELLED, DEADLINE_EXCEEDED, PERMISSION_DENIED, UNAVAILABLE, UNAUTHENTICATED: a server, or what stands before it, lets
 * nobody in or is not there. Modules answer with other codes.
 */
const awayCodes: ReadonlySet<number> = new Set([1, 4, 7, 14, 16])
const maxMessageShown = 4_096
const connectTimeoutMs = 5_000
const frameHeader = 5
/** How much a server may send of one answer, and of all of them, before it hears that it was read. By default it is 64 KiB. */
export const windowBytes = { stream: 4 * 1024 * 1024, session: 16 * 1024 * 1024 }

const encodeFrame = (message: Uint8Array): Buffer => {
  const frame = Buffer.allocUnsafe(frameHeader + message.length)
  frame[0] = 0 // not compressed
  frame.writeUInt32BE(message.length, 1)
  frame.set(message, frameHeader)
  return frame
}

/** Parses status and message from trailers, or from the headers of a response without a body. */
const parseStatus = (headers: IncomingHttpHeaders): GrpcError | undefined => {
  const code = Number(headers['grpc-status'])
  if (headers['grpc-status'] === undefined || !Number.isInteger(code)) return undefined
  const text = String(headers['grpc-message'] ?? '')
  let message = text
  try {
    message = decodeURIComponent(text)
  } catch {
    // Text that is not percent-encoded is used as it is.
  }
  return new GrpcError(code, message.slice(0, maxMessageShown))
}

/** Returns the error of a server that had too many calls. A message above a limit of size has the same code. */
const limitOf = (
  { code, message }: GrpcError,
  pushback: string | string[] | undefined,
): RateLimitError | undefined => {
  if (code !== resourceExhausted || /larger than max|message size/i.test(message)) return undefined
  const milliseconds = Number(pushback)
  return rateLimitError(milliseconds > 0 ? String(Math.ceil(milliseconds / 1_000)) : undefined)
}

/** Returns whether an error of gRPC says that a message is larger than the server sends or takes. */
export const isSizeLimit = (error: unknown): boolean =>
  error instanceof GrpcError && error.code === resourceExhausted

/** Returns the error of a status that says that nobody answers here. */
const absenceOf = ({ code, message }: GrpcError): TransportError | undefined =>
  awayCodes.has(code)
    ? new TransportError(`gRPC error, status ${code}${message === '' ? '' : `: ${message}`}`)
    : undefined

const decodeFrame = (body: Buffer): Uint8Array => {
  if (body.length < frameHeader) throw new UpstreamError('the gRPC answer has no message')
  if (body[0] !== 0)
    throw new UpstreamError('the gRPC response is compressed, but compression was not requested')
  if (body.readUInt32BE(1) !== body.length - frameHeader)
    throw new UpstreamError('the gRPC answer is not one whole message')
  return new Uint8Array(body.subarray(frameHeader))
}

/** Unary gRPC over one HTTP/2 connection, which is opened when it is needed and reopened when it breaks. */
export class GrpcClient {
  readonly #authority: string
  readonly #maxReplyBytes: number
  readonly #headers: NodeHeaders
  #session: ClientHttp2Session | undefined
  #connected = false
  /** When a connection was opened or something was answered. */
  #lastHeard = 0
  #lastAnswered = 0

  constructor(
    address: string,
    options: { readonly maxReplyBytes: number; readonly headers?: NodeHeaders | undefined },
  ) {
    this.#authority = address.includes('://') ? address.replace(/^tcp:/, 'http:') : `http://${address}`
    new URL(this.#authority) // throws at the start if the address is invalid
    this.#maxReplyBytes = options.maxReplyBytes
    this.#headers = options.headers ?? {}
  }

  /** Calls a method in the state after block `height`; undefined means the newest. */
  call(
    path: string,
    message: Uint8Array,
    height: number | undefined,
    { signal, timeoutMs }: CallOptions,
  ): Promise<Uint8Array> {
    return new Promise((resolve, reject) => {
      const session = this.#connect()
      const began = Date.now()
      const stream = session.request({
        ...this.#headers,
        ':method': 'POST',
        ':path': path,
        'content-type': 'application/grpc',
        te: 'trailers',
        'grpc-timeout': `${Math.ceil(timeoutMs)}m`,
        ...(height === undefined ? {} : { [heightHeader]: String(height) }),
      })
      const fail = (error: Error): void => {
        cancel()
        stream.close()
        // A connection that delivered nothing since the call began is considered dead: the next call opens another. That
        // a caller leaves says nothing about it, and others may wait for answers on it.
        const isUnanswered = error instanceof TransportError && !(error instanceof RateLimitError)
        if (isUnanswered && !signal?.aborted && this.#lastHeard < began) this.#drop(session)
        reject(error)
      }
      const cancel = onTimeoutOrAbort(signal, timeoutMs, fail)
      stream.on('error', (error) => fail(new TransportError(error.message)))
      this.#receive(stream, height, fail, (answer) => {
        cancel()
        resolve(answer)
      })
      stream.end(encodeFrame(message))
    })
  }

  /** Returns whether nothing was answered since a time, whoever asked. */
  isSilentSince(time: number): boolean {
    return this.#lastAnswered < time
  }

  /** Leaves the connection. A call after it opens another. */
  close(): void {
    this.#session?.destroy()
    this.#session = undefined
  }

  #receive(
    stream: ClientHttp2Stream,
    height: number | undefined,
    fail: (error: Error) => void,
    succeed: (answer: Uint8Array) => void,
  ): void {
    const pieces: Buffer[] = []
    let length = 0
    let status: GrpcError | undefined
    let kind: Error | undefined
    let pushback: string | string[] | undefined
    stream.on('response', (headers) => {
      this.#onAnswer()
      pushback = headers[pushbackHeader]
      status = parseStatus(headers)
      const used = headers[heightHeader]
      if (isRateLimit(headers[':status'], headers['retry-after']))
        return fail(rateLimitError(headers['retry-after']))
      if (headers[':status'] !== 200) kind = new TransportError(`gRPC answered with ${headers[':status']}`)
      else if (height !== undefined && used !== undefined && used !== String(height))
        kind = new UpstreamError(`requested height ${height}, the response is for ${used}`)
    })
    stream.on('data', (piece: Buffer) => {
      this.#onAnswer()
      length += piece.length
      if (length > this.#maxReplyBytes + frameHeader)
        return fail(new TransportError(`the response is larger than ${this.#maxReplyBytes} bytes`))
      pieces.push(piece)
    })
    stream.on('trailers', (headers) => {
      status = parseStatus(headers) ?? status
      pushback = headers[pushbackHeader] ?? pushback
    })
    stream.on('close', () => fail(new TransportError('the gRPC answer ended early')))
    stream.on('end', () => {
      if (status && status.code !== 0) return fail(limitOf(status, pushback) ?? absenceOf(status) ?? status)
      if (kind) return fail(kind)
      if (!status) return fail(new TransportError('the gRPC answer has no status'))
      try {
        succeed(decodeFrame(Buffer.concat(pieces)))
      } catch (error) {
        fail(error as Error)
      }
    })
  }

  #onAnswer(): void {
    this.#lastHeard = Date.now()
    this.#lastAnswered = this.#lastHeard
  }

  #connect(): ClientHttp2Session {
    if (this.#session && !this.#session.destroyed && !this.#session.closed) return this.#session
    this.#connected = false
    const settings = { initialWindowSize: windowBytes.stream, enablePush: false }
    const session = connect(this.#authority, { settings })
    this.#session = session
    const timer = setTimeout(() => {
      if (!this.#connected) this.#drop(session)
    }, connectTimeoutMs)
    timer.unref()
    session.on('connect', () => {
      // It comes for a session that was left before too.
      if (session.destroyed) return
      this.#connected = true
      session.setLocalWindowSize(windowBytes.session)
      this.#lastHeard = Date.now()
      clearTimeout(timer)
    })
    session.on('error', () => this.#drop(session)) // each stream receives the error too
    session.on('goaway', () => this.#forget(session))
    session.on('close', () => {
      clearTimeout(timer)
      this.#forget(session)
    })
    // Calls in flight keep the process alive; an idle connection does not.
    session.unref()
    return session
  }

  /** Lets open streams end; new ones use another connection. */
  #forget(session: ClientHttp2Session): void {
    if (this.#session === session) this.#session = undefined
  }

  #drop(session: ClientHttp2Session): void {
    this.#forget(session)
    session.destroy()
  }
}
