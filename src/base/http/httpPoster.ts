import { Agent, request as requestHttp } from 'node:http'
import { request as requestHttps, Agent as SecureAgent } from 'node:https'
import { failOnUpgrade } from './otherProtocol.ts'

export interface PosterOptions {
  readonly maxSockets: number
  /** How long nothing may come before a request fails. */
  readonly idleTimeoutMs: number
  /** How long a request may take in all; undefined for no limit. */
  readonly timeoutMs?: number | undefined
  readonly maxResponseBytes: number
  /** Headers beside those of the content. */
  readonly headers?: Readonly<Record<string, string>>
}

/** What one request has beside what all have. */
interface PostRequest {
  readonly signal?: AbortSignal | undefined
  /** How long it may take in all, in place of what the others may. */
  readonly timeoutMs?: number | undefined
  readonly headers?: Readonly<Record<string, string>> | undefined
}

export interface PostResponse {
  readonly status: number
  readonly body: Buffer
  /** The body as text, made each time that it is requested. */
  readonly text: string
  /** The header of this name as it came. */
  readonly retryAfter: string | undefined
}

/** Thrown if a request took longer than it may. */
export class NoAnswerInTimeError extends Error {
  override readonly name = 'NoAnswerInTimeError'

  constructor(ms: number) {
    super(`no response within ${ms / 1000} s`)
  }
}

/** Posts JSON to one URL over connections that stay open. What fails on the way is a plain Error without the URL. */
export class HttpPoster {
  readonly #url: URL
  readonly #options: PosterOptions
  readonly #agent: Agent

  constructor(url: string, options: PosterOptions) {
    this.#url = new URL(url)
    this.#options = options
    const pool = { keepAlive: true, maxSockets: options.maxSockets }
    this.#agent = this.#url.protocol === 'https:' ? new SecureAgent(pool) : new Agent(pool)
  }

  post(content: string, request: PostRequest = {}): Promise<PostResponse> {
    const { idleTimeoutMs, maxResponseBytes } = this.#options
    const { signal, timeoutMs = this.#options.timeoutMs } = request
    const send = this.#url.protocol === 'https:' ? requestHttps : requestHttp
    const headers = {
      'content-type': 'application/json',
      ...this.#options.headers,
      ...request.headers,
      'content-length': Buffer.byteLength(content),
    }
    return new Promise((resolve, reject) => {
      const options = { method: 'POST', headers, agent: this.#agent, timeout: idleTimeoutMs }
      const outgoing = send(this.#url, { ...options, ...(signal && { signal }) }, (response) => {
        const parts: Buffer[] = []
        let bytes = 0
        response.on('data', (part: Buffer) => {
          bytes += part.length
          if (bytes > maxResponseBytes) outgoing.destroy(new Error('it sends too much'))
          parts.push(part)
        })
        response.on('error', fail)
        response.on('end', () => {
          clearTimeout(timer)
          const body = Buffer.concat(parts)
          resolve({
            status: response.statusCode ?? 0,
            body,
            get text() {
              return body.toString()
            },
            retryAfter: response.headers['retry-after'],
          })
        })
      })
      const giveUp = (ms: number) => (): void => {
        outgoing.destroy(new NoAnswerInTimeError(ms))
      }
      const timer = timeoutMs === undefined ? undefined : setTimeout(giveUp(timeoutMs), timeoutMs)
      outgoing.on('timeout', giveUp(idleTimeoutMs))
      const fail = (error: Error): void => {
        clearTimeout(timer)
        reject(error)
      }
      outgoing.on('error', fail)
      failOnUpgrade(outgoing, fail)
      outgoing.end(content)
    })
  }

  /** Ends all connections. */
  close(): void {
    this.#agent.destroy()
  }
}
