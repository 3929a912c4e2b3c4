import { request as httpRequest } from 'node:http'
import { createConnection } from 'node:net'
import { WebSocket } from 'ws'

export interface HttpResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly body: string
}

export interface HttpRequest {
  readonly method?: string
  readonly path?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Buffer
}

/** Sends a request with full control over its headers (fetch would set or reject some). */
export const sendHttp = (
  url: string,
  { method = 'POST', path = '/', headers = {}, body }: HttpRequest,
): Promise<HttpResponse> =>
  new Promise((resolve, reject) => {
    // As clients do that keep their connections; this one is closed after the response all the same.
    const all = { Connection: 'keep-alive', ...headers }
    const sent = httpRequest(new URL(path, url), { method, headers: all, agent: false }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('error', reject)
      response.on('end', () => {
        const { statusCode = 0, headers } = response
        resolve({ status: statusCode, headers, body: Buffer.concat(chunks).toString('latin1') })
      })
    })
    sent.on('error', reject)
    sent.end(body)
  })

/** Sends one body over HTTP and returns the text of the response. */
export const postJson = async (
  url: string,
  body: string,
  headers: Record<string, string> = {},
): Promise<string> => {
  const response = await sendHttp(url, { body, headers: { 'Content-Type': 'application/json', ...headers } })
  if (response.status !== 200) throw new Error(`HTTP ${response.status}: ${response.body}`)
  return Buffer.from(response.body, 'latin1').toString()
}

/** A call that is sent after a message without a response. Its response shows that the message really got none. */
const sentinel = '{"jsonrpc":"2.0","id":"sentinel","method":"test_sleep","params":[50]}'
const withoutSentinel = (response: string): string => (response.includes('"sentinel"') ? '' : response)

export interface MessageOptions {
  readonly headers?: Readonly<Record<string, string>>
  /** False if no response is expected. */
  readonly expectsAnswer?: boolean
}

/** Sends one message over a new WebSocket and returns the first response; empty if there was none. */
export const sendWs = (
  url: string,
  body: string,
  { headers = {}, expectsAnswer = true }: MessageOptions = {},
): Promise<string> =>
  new Promise((resolve, reject) => {
    const socket = new WebSocket(url, { headers })
    socket.on('open', () => {
      socket.send(body)
      if (!expectsAnswer) socket.send(sentinel)
    })
    socket.on('message', (data) => {
      socket.close()
      resolve(withoutSentinel(String(data)))
    })
    socket.on('close', () => reject(new Error('closed without an answer')))
    socket.on('error', reject)
  })

/** Sends one message over a new IPC connection and returns the first response; empty if there was none. */
export const sendIpc = (
  path: string,
  body: string,
  { expectsAnswer = true }: MessageOptions = {},
): Promise<string> =>
  new Promise((resolve, reject) => {
    const socket = createConnection(path)
    let text = ''
    socket.on('connect', () => socket.write(expectsAnswer ? `${body}\n` : `${body}\n${sentinel}`))
    socket.on('data', (chunk) => {
      text += chunk
      const end = text.indexOf('\n')
      if (end < 0) return
      socket.destroy()
      resolve(withoutSentinel(text.slice(0, end)))
    })
    socket.on('close', () => reject(new Error('closed without an answer')))
    socket.on('error', reject)
  })
