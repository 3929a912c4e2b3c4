import { once } from 'node:events'
import { type ClientOptions, WebSocket } from 'ws'

/** A WebSocket whose messages can be waited for. */
export class WsClient {
  readonly socket: WebSocket
  readonly messages: string[] = []
  /** The code and the reason of the close frame; 1006 if there was none. */
  readonly closed: Promise<{ readonly code: number; readonly reason: string }>

  private constructor(socket: WebSocket) {
    this.socket = socket
    this.closed = new Promise((resolve) =>
      socket.once('close', (code, reason) => resolve({ code, reason: String(reason) })),
    )
    socket.on('error', () => {})
    socket.on('message', (data) => this.messages.push(String(data)))
  }

  static async open(url: string, options: ClientOptions = {}): Promise<WsClient> {
    const client = new WsClient(new WebSocket(url, options))
    await Promise.race([
      once(client.socket, 'open'),
      client.closed.then(() => {
        throw new Error('the upgrade was refused')
      }),
    ])
    return client
  }

  send(data: string | Buffer, options: { binary?: boolean } = {}): this {
    this.socket.send(data, options)
    return this
  }

  /** Waits until `count` messages have been received in all. */
  async receive(count: number): Promise<readonly string[]> {
    while (this.messages.length < count) {
      if (this.socket.readyState === WebSocket.CLOSED) throw new Error(`closed after ${this.messages.length}`)
      await Promise.race([once(this.socket, 'message'), this.closed])
    }
    return this.messages
  }

  async ask(body: string): Promise<string> {
    this.send(body)
    return (await this.receive(this.messages.length + 1)).at(-1) as string
  }
}

/** Returns the HTTP response to an upgrade that must be rejected. */
export const refusedUpgrade = (
  url: string,
  headers: Readonly<Record<string, string>>,
): Promise<{ readonly status: number; readonly body: string }> =>
  new Promise((resolve, reject) => {
    const socket = new WebSocket(url, { headers })
    socket.on('open', () => reject(new Error('it was not refused')))
    socket.on('error', () => {})
    socket.on('unexpected-response', (_, response) => {
      let body = ''
      response.on('data', (chunk) => (body += chunk))
      response.on('end', () => resolve({ status: response.statusCode ?? 0, body }))
    })
  })
