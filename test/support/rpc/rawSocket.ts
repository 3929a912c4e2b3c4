import { once } from 'node:events'
import { createConnection, type Socket } from 'node:net'

/** A TCP or IPC connection that sends and receives raw bytes. */
export class RawSocket {
  readonly socket: Socket
  readonly closed: Promise<void>
  #text = ''

  private constructor(socket: Socket) {
    this.socket = socket
    this.closed = new Promise((resolve) => socket.once('close', () => resolve()))
    socket.on('error', () => {}) // a reset also closes the connection
    socket.on('data', (chunk: Buffer) => {
      this.#text += chunk.toString('latin1')
    })
  }

  /** Connects. `target` is an http:// or ws:// URL, or the path of a socket. */
  static async open(target: string): Promise<RawSocket> {
    const url = target.startsWith('/') ? undefined : new URL(target)
    const host = url?.hostname.replace(/^\[|\]$/g, '') ?? ''
    const socket = url ? createConnection({ host, port: Number(url.port) }) : createConnection(target)
    const raw = new RawSocket(socket)
    await once(socket, 'connect')
    return raw
  }

  /** The text that was received so far. */
  get text(): string {
    return this.#text
  }

  send(data: string | Buffer): this {
    this.socket.write(data)
    return this
  }

  /** Waits until the received text matches; throws if the connection ends before. */
  async receive(wanted: RegExp | ((text: string) => boolean)): Promise<string> {
    const isThere = (): boolean => (wanted instanceof RegExp ? wanted.test(this.#text) : wanted(this.#text))
    while (!isThere()) {
      if (this.socket.destroyed) throw new Error(`closed before ${wanted} came: ${this.#text.slice(0, 2000)}`)
      await Promise.race([once(this.socket, 'data'), this.closed])
    }
    return this.#text
  }

  close(): void {
    this.socket.destroy()
  }
}

/** Encodes an HTTP request. */
export const httpPost = (body: string, headers: readonly string[] = []): string =>
  [
    'POST / HTTP/1.1',
    'Host: localhost',
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    ...headers,
    '',
    body,
  ].join('\r\n')

export const countOccurrences = (text: string, part: string): number => text.split(part).length - 1
