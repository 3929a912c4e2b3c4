import { Agent, request as plainRequest } from 'node:http'
import { Agent as SecureAgent, request as secureRequest } from 'node:https'
import { UpstreamError } from '../parse/upstreamError.ts'
import { parseNodeUrl, parseResponse } from './cometResponse.ts'
import { onTimeoutOrAbort, TransportError } from './deadline.ts'

export interface CallOptions {
  readonly signal?: AbortSignal | undefined
  readonly timeoutMs: number
  /** Called with the length of the reply, if the transport knows it. */
  readonly onLength?: (bytes: number) => void
}

/** CometBFT's JSON-RPC over HTTP, for slow or large calls, which would delay others on the WebSocket. */
export class CometHttpClient {
  readonly #url: URL
  readonly #maxReplyBytes: number
  readonly #agent: Agent
  #lastId = 0

  constructor(url: string, options: { readonly maxReplyBytes: number; readonly maxSockets: number }) {
    this.#url = parseNodeUrl(url)
    this.#maxReplyBytes = options.maxReplyBytes
    const settings = { keepAlive: true, maxSockets: options.maxSockets, timeout: 60_000 }
    this.#agent = this.#url.protocol === 'https:' ? new SecureAgent(settings) : new Agent(settings)
  }

  async call(method: string, params: object, { signal, timeoutMs }: CallOptions): Promise<unknown> {
    const id = ++this.#lastId
    const body = JSON.stringify({ jsonrpc: '2.0', id, method, params })
    const reply = parseResponse(await this.#post(body, signal, timeoutMs))
    if (reply.error && (reply.id === undefined || reply.id === id)) throw reply.error
    if (reply.id !== id) throw new UpstreamError(`the reply is to call ${reply.id}, not to ${id}`)
    return reply.result
  }

  close(): void {
    this.#agent.destroy()
  }

  #post(body: string, signal: AbortSignal | undefined, timeoutMs: number): Promise<Buffer> {
    return new Promise((resolve, reject) => {
      const headers = {
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body),
        'accept-encoding': 'identity',
      }
      const send = this.#url.protocol === 'https:' ? secureRequest : plainRequest
      const sent = send(this.#url, { method: 'POST', agent: this.#agent, headers })
      const settle = (error: Error | undefined, bytes?: Buffer): void => {
        cancel()
        if (bytes) return resolve(bytes)
        sent.destroy()
        reject(error instanceof TransportError ? error : new TransportError(error?.message ?? 'closed'))
      }
      const cancel = onTimeoutOrAbort(signal, timeoutMs, settle)
      sent.on('error', settle)
      sent.on('response', (reply) => {
        const pieces: Buffer[] = []
        let length = 0
        reply.on('data', (piece: Buffer) => {
          length += piece.length
          pieces.push(piece)
          if (length > this.#maxReplyBytes)
            settle(new TransportError(`the reply is larger than ${this.#maxReplyBytes} bytes`))
        })
        reply.on('error', settle)
        reply.on('aborted', () => settle(new TransportError('the reply ended before its end')))
        reply.on('end', () => {
          const bytes = Buffer.concat(pieces)
          // A proxy in front of a node answers with an HTML page if the node is down.
          const isJson = bytes.length > 0 && (bytes[0] === 0x7b || reply.statusCode === 200)
          settle(new TransportError(`the answer has status ${reply.statusCode}`), isJson ? bytes : undefined)
        })
      })
      sent.end(body)
    })
  }
}
