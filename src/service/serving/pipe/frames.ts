import type { Socket } from 'node:net'

/** What the processes of a server send each other. */
export const frameKinds = {
  // From a serving process to the main one.
  call: 1,
  abort: 2,
  connectionClosed: 3,
  eventSeen: 4,
  page: 5,
  connectionFull: 6,
  connectionDrained: 7,
  // From the main process to a serving one.
  result: 10,
  error: 11,
  push: 12,
  disconnect: 13,
  event: 14,
} as const

/** The length of what follows, the kind and an id. */
const headerBytes = 9

export type FrameListener = (kind: number, id: number, payload: Buffer) => void

/**
 * Frames over a pipe between two processes. What is sent in one turn of the event loop is written together. The sender must
 * look at the backlog: nothing is dropped here.
 */
export class FrameChannel {
  readonly #socket: Socket
  readonly #onFrame: FrameListener
  #chunks: Buffer[] = []
  #size = 0
  #isCorked = false
  readonly #onDrained: (() => void)[] = []

  constructor(socket: Socket, onFrame: FrameListener) {
    this.#socket = socket
    this.#onFrame = onFrame
    socket.on('data', (chunk: Buffer) => this.#receive(chunk))
    socket.on('drain', () => {
      for (const listener of this.#onDrained.splice(0)) listener()
    })
    socket.on('error', () => socket.destroy())
  }

  /** The bytes that the other side has not read. */
  get backlog(): number {
    return this.#socket.writableLength
  }

  onClosed(listener: () => void): void {
    this.#socket.once('close', listener)
  }

  /** Calls the listener when the other side has read what was sent; at once if it has. */
  onceDrained(listener: () => void): void {
    if (this.#socket.writableNeedDrain) this.#onDrained.push(listener)
    else setImmediate(listener)
  }

  /** Stops reading until `resume`. */
  pause(): void {
    this.#socket.pause()
  }

  resume(): void {
    this.#socket.resume()
  }

  /** Calls `onRead` when the other side has read the frame, or never will. */
  sendText(kind: number, id: number, text: string, onRead?: () => void): void {
    const length = Buffer.byteLength(text)
    const frame = Buffer.allocUnsafe(headerBytes + length)
    writeHeader(frame, length, kind, id)
    frame.write(text, headerBytes)
    this.#write(frame, onRead)
  }

  /** See `sendText`. */
  send(kind: number, id: number, parts: readonly Uint8Array[] = [], onRead?: () => void): void {
    const length = parts.reduce((sum, part) => sum + part.length, 0)
    const header = Buffer.allocUnsafe(headerBytes)
    writeHeader(header, length, kind, id)
    const last = parts.length - 1
    this.#write(header, last < 0 ? onRead : undefined)
    for (const [index, part] of parts.entries()) this.#write(part, index === last ? onRead : undefined)
  }

  close(): void {
    this.#socket.destroy()
  }

  #write(bytes: Uint8Array, onRead: (() => void) | undefined): void {
    if (!this.#socket.writable) return onRead?.()
    if (!this.#isCorked) {
      this.#isCorked = true
      this.#socket.cork()
      process.nextTick(() => {
        this.#isCorked = false
        this.#socket.uncork()
      })
    }
    this.#socket.write(bytes, onRead && (() => onRead()))
  }

  #receive(chunk: Buffer): void {
    this.#chunks.push(chunk)
    this.#size += chunk.length
    if (this.#size < headerBytes) return
    let bytes = this.#chunks[0] as Buffer // the one that was just added, if there is no other
    // A long frame is put together once, when it is complete.
    if (bytes.length < headerBytes) bytes = this.#join()
    if (this.#size < headerBytes + bytes.readUInt32LE(0)) return
    bytes = this.#join()
    let at = 0
    while (bytes.length - at >= headerBytes) {
      const end = at + headerBytes + bytes.readUInt32LE(at)
      if (end > bytes.length) break
      const payload = bytes.subarray(at + headerBytes, end)
      const kind = bytes.readUInt8(at + 4)
      const id = bytes.readUInt32LE(at + 5)
      at = end
      this.#onFrame(kind, id, payload)
    }
    this.#chunks = at < bytes.length ? [bytes.subarray(at)] : []
    this.#size = bytes.length - at
  }

  #join(): Buffer {
    const [first] = this.#chunks
    const bytes = this.#chunks.length === 1 ? (first as Buffer) : Buffer.concat(this.#chunks, this.#size)
    this.#chunks = [bytes]
    return bytes
  }
}

const writeHeader = (frame: Buffer, length: number, kind: number, id: number): void => {
  frame.writeUInt32LE(length, 0)
  frame.writeUInt8(kind, 4)
  frame.writeUInt32LE(id, 5)
}
