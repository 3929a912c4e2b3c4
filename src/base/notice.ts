import type { Writable } from 'node:stream'

/** A message of which every receiver gets the same bytes, but for its own name between `head` and `tail`. */
export interface Message {
  readonly head: Uint8Array
  readonly tail: Uint8Array
}

/** How a transport marks where a message begins and ends. */
export interface Framing {
  open(length: number): Uint8Array
  readonly close: Uint8Array
}

/** A way to a client that stays: what it is told without having asked goes here. */
export interface Outlet {
  /** Sends at once. A client that has too much unread already is cut off: it never misses something unnoticed. */
  push(notice: Notice, name: Uint8Array): void
  /** So much is unread that what can wait should wait for `onceDrained`. */
  readonly isFull: boolean
  /** Calls back once, when everything sent was taken. Not at all when the client goes first. */
  onceDrained(listener: () => void): void
  /** Calls back once, when there is no client any more. */
  onceClosed(listener: () => void): void
  /** Ends the connection, since what was promised cannot be kept. */
  cutOff(why: string): void
}

/**
 * Messages that go to many, encoded once. All names have one length, so that the frames differ in nothing else.
 */
export class Notice {
  readonly #messages: readonly Message[]
  readonly #nameLength: number
  readonly #framed = new Map<Framing, FramedNotice>()

  constructor(messages: readonly Message[], nameLength: number) {
    this.#messages = messages
    this.#nameLength = nameLength
  }

  /** Bytes of all messages. */
  get size(): number {
    return this.#messages.reduce(
      (sum, { head, tail }) => sum + head.length + this.#nameLength + tail.length,
      0,
    )
  }

  /** Returns the messages for one receiver as text, for those who take them without a stream. */
  textsFor(name: Uint8Array): readonly string[] {
    return this.#messages.map(({ head, tail }) => Buffer.concat([head, name, tail]).toString())
  }

  framedBy(framing: Framing): FramedNotice {
    let framed = this.#framed.get(framing)
    if (framed === undefined) {
      framed = new FramedNotice(this.#messages, this.#nameLength, framing)
      this.#framed.set(framing, framed)
    }
    return framed
  }
}

/** Below this one write of one piece is cheaper than a write of shared pieces. */
const maxSheetBytes = 16_384

/** The bytes of a notice as one transport sends them. */
export class FramedNotice {
  readonly size: number
  /** What all receivers share; a name comes after each piece but the last. */
  readonly #pieces: readonly Uint8Array[]
  readonly #nameLength: number
  /** The whole in one piece, where the next receiver's name is filled in; undefined: there is none to write on. */
  #sheet: Buffer | undefined

  constructor(messages: readonly Message[], nameLength: number, framing: Framing) {
    const pieces: Uint8Array[] = []
    let open: Uint8Array[] = []
    for (const { head, tail } of messages) {
      pieces.push(Buffer.concat([...open, framing.open(head.length + nameLength + tail.length), head]))
      open = [tail, framing.close]
    }
    pieces.push(Buffer.concat(open))
    this.#pieces = pieces
    this.#nameLength = nameLength
    this.size = pieces.reduce((sum, { length }) => sum + length, messages.length * nameLength)
  }

  /**
   * Writes it to one receiver. A stream that takes everything at once, as that of a reader who keeps up does, leaves
   * the sheet for the next one. For a reader that is behind the shared pieces are queued, which take no room.
   */
  writeTo(stream: Writable, name: Uint8Array, written: () => void): void {
    if (stream.writableLength > 0 || this.size > maxSheetBytes)
      return this.#writePieces(stream, name, written)
    const sheet = this.#fill(name)
    stream.write(sheet, written)
    if (stream.writableLength > 0) this.#sheet = undefined
  }

  #writePieces(stream: Writable, name: Uint8Array, written: () => void): void {
    const last = this.#pieces.length - 1
    stream.cork()
    for (const [index, piece] of this.#pieces.entries()) {
      if (index === last) stream.write(piece, written)
      else {
        stream.write(piece)
        stream.write(name)
      }
    }
    stream.uncork()
  }

  #fill(name: Uint8Array): Buffer {
    const isNew = this.#sheet === undefined
    this.#sheet ??= Buffer.allocUnsafeSlow(this.size)
    const last = this.#pieces.length - 1
    let at = 0
    for (const [index, piece] of this.#pieces.entries()) {
      if (isNew) this.#sheet.set(piece, at)
      at += piece.length
      if (index === last) break
      this.#sheet.set(name, at)
      at += this.#nameLength
    }
    return this.#sheet
  }
}
