import { createConnection, type Socket } from 'node:net'

const upgrade = (port: number): string =>
  `GET / HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n` +
  'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n'

const textFrame = 0x81
const pongFrame = 0x8a

/** A masked frame, with a mask of zeros: the client's half of RFC 6455, as far as small requests need it. */
const frameOf = (kind: number, payload: Buffer): Buffer => {
  const isShort = payload.length < 126
  const header = Buffer.alloc(isShort ? 6 : 8)
  header[0] = kind
  header[1] = 0x80 | (isShort ? payload.length : 126)
  if (!isShort) header.writeUInt16BE(payload.length, 2)
  return Buffer.concat([header, payload])
}

/** A frame's payload within a chunk; undefined when not all of it is there. */
const readFrame = (bytes: Buffer, at: number): { opcode: number; start: number; end: number } | undefined => {
  if (bytes.length < at + 2) return undefined
  const opcode = (bytes[at] as number) & 0x0f
  const short = bytes[at + 1] as number
  const start = at + (short < 126 ? 2 : short === 126 ? 4 : 10)
  if (bytes.length < start) return undefined
  const length =
    short < 126 ? short : short === 126 ? bytes.readUInt16BE(at + 2) : bytes.readUIntBE(at + 4, 6)
  return bytes.length < start + length ? undefined : { opcode, start, end: start + length }
}

type OnMessage = (message: Buffer) => void

/** A WebSocket of little more than a socket, so that ten thousand fit beside the server. */
export class RawClient {
  readonly #socket: Socket
  readonly #onMessage: OnMessage
  readonly #onOpen: () => void
  #rest: Buffer | undefined
  #isUpgraded = false

  private constructor(socket: Socket, onOpen: () => void, onMessage: OnMessage) {
    this.#socket = socket
    this.#onOpen = onOpen
    this.#onMessage = onMessage
    socket.on('data', (chunk: Buffer) => this.#receive(chunk))
  }

  static open(port: number, onMessage: OnMessage, onClosed: () => void): Promise<RawClient> {
    return new Promise((resolve, reject) => {
      const socket = createConnection({ port, host: '127.0.0.1', noDelay: true })
      const client = new RawClient(socket, () => resolve(client), onMessage)
      socket.on('error', reject)
      socket.on('close', onClosed)
      socket.once('connect', () => socket.write(upgrade(port)))
    })
  }

  send(text: string): void {
    this.#socket.write(frameOf(textFrame, Buffer.from(text)))
  }

  /** Reads nothing from now on. */
  stopReading(): void {
    this.#socket.pause()
  }

  close(): void {
    this.#socket.removeAllListeners('close').destroy()
  }

  #receive(chunk: Buffer): void {
    const bytes = this.#rest === undefined ? chunk : Buffer.concat([this.#rest, chunk])
    let at = 0
    if (!this.#isUpgraded) {
      at = bytes.indexOf('\r\n\r\n') + 4
      if (at < 4) {
        this.#rest = bytes
        return
      }
      this.#isUpgraded = true
      this.#onOpen()
    }
    for (let frame = readFrame(bytes, at); frame !== undefined; frame = readFrame(bytes, at)) {
      if (frame.opcode === 1) this.#onMessage(bytes.subarray(frame.start, frame.end))
      // The payload shows that the ping was read: without it the server closes the connection.
      else if (frame.opcode === 9)
        this.#socket.write(frameOf(pongFrame, bytes.subarray(frame.start, frame.end)))
      at = frame.end
    }
    this.#rest = at < bytes.length ? bytes.subarray(at) : undefined
  }
}
