import { randomBytes } from 'node:crypto'
import { RawSocket } from '../../support/rpc/rawSocket.ts'

export const opcodes = { continuation: 0, text: 1, binary: 2, close: 8, ping: 9, pong: 10 } as const

export interface FrameOptions {
  readonly fin?: boolean
  /** The three reserved bits. */
  readonly reserved?: number
  readonly isMasked?: boolean
}

/** Encodes a frame of a client (RFC 6455, 5.2), as wrong as it is asked for. */
export const encodeFrame = (
  opcode: number,
  payload: string | Uint8Array = '',
  { fin = true, reserved = 0, isMasked = true }: FrameOptions = {},
): Buffer => {
  const bytes = Buffer.from(payload as Uint8Array) // a text or bytes
  const head = [(fin ? 0x80 : 0) | (reserved << 4) | opcode]
  const masked = isMasked ? 0x80 : 0
  if (bytes.length < 126) head.push(masked | bytes.length)
  else if (bytes.length < 65_536) head.push(masked | 126, bytes.length >> 8, bytes.length & 0xff)
  else head.push(masked | 127, 0, 0, 0, 0, ...[24, 16, 8, 0].map((shift) => (bytes.length >>> shift) & 0xff))
  if (!isMasked) return Buffer.concat([Buffer.from(head), bytes])
  const mask = randomBytes(4)
  return Buffer.concat([Buffer.from(head), mask, bytes.map((byte, at) => byte ^ (mask[at % 4] as number))])
}

export const closePayload = (code: number, reason: string | Uint8Array = ''): Buffer =>
  Buffer.concat([Buffer.from([code >> 8, code & 0xff]), Buffer.from(reason as Uint8Array)])

/** A frame that the server sent. */
export interface ServerFrame {
  readonly opcode: number
  readonly payload: Buffer
}

/** A WebSocket whose frames a test writes and reads itself. */
export class FrameSocket {
  readonly #raw: RawSocket
  readonly frames: ServerFrame[] = []

  private constructor(raw: RawSocket) {
    this.#raw = raw
  }

  static async open(url: string): Promise<FrameSocket> {
    const raw = await RawSocket.open(url)
    raw.send(
      `GET / HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n` +
        `Sec-WebSocket-Key: ${randomBytes(16).toString('base64')}\r\n\r\n`,
    )
    await raw.receive(/^HTTP\/1\.1 101 [\s\S]*?\r\n\r\n/)
    return new FrameSocket(raw)
  }

  send(...frames: readonly Uint8Array[]): this {
    for (const frame of frames) this.#raw.send(Buffer.from(frame))
    return this
  }

  /** Waits for the end of the connection and returns all frames that came. */
  async ended(): Promise<readonly ServerFrame[]> {
    await this.#raw.closed
    return this.#parse()
  }

  close(): void {
    this.#raw.close()
  }

  #parse(): readonly ServerFrame[] {
    const bytes = Buffer.from(this.#raw.text.slice(this.#raw.text.indexOf('\r\n\r\n') + 4), 'latin1')
    const frames: ServerFrame[] = []
    for (let at = 0; at + 2 <= bytes.length; ) {
      const opcode = (bytes[at] as number) & 0x0f
      const short = (bytes[at + 1] as number) & 0x7f
      const headBytes = short < 126 ? 2 : short === 126 ? 4 : 10
      const length =
        short < 126
          ? short
          : short === 126
            ? bytes.readUInt16BE(at + 2)
            : Number(bytes.readBigUInt64BE(at + 2))
      frames.push({ opcode, payload: bytes.subarray(at + headBytes, at + headBytes + length) })
      at += headBytes + length
    }
    return frames
  }
}
