/** The part of a stream of Node that is used. */
interface ByteStream {
  readonly writableLength: number
  write(bytes: Uint8Array, onWritten?: () => void): boolean
  cork(): void
  uncork(): void
}

/** A message that is the same for every receiver except for the subscription id between `head` and `tail`. */
export interface NotificationParts {
  readonly head: Uint8Array
  readonly tail: Uint8Array
}

/** How a transport frames a message. */
export interface Framing {
  open(length: number): Uint8Array
  readonly close: Uint8Array
}

/** A persistent client connection that notifications are sent to. */
export interface ClientConnection {
  /**
   * Sends a notification at once. A client with too much unread is disconnected, so that it never misses one without
   * noticing.
   */
  push(notification: Notification, subscriptionId: Uint8Array): void
  /** Whether so much is unread that a sender that can wait should wait for `onceDrained`. */
  readonly isFull: boolean
  /** Calls `listener` once when everything that was sent has been read; never if the client disconnects first. */
  onceDrained(listener: () => void): void
  /** Calls `listener` once when the connection is closed. */
  onceClosed(listener: () => void): void
  /** Closes the connection with a message, because a subscription cannot be continued. */
  disconnect(message: string): void
}

/**
 * Messages for many receivers, encoded once. All subscription ids have the same length, so that frames differ only there.
 */
export class Notification {
  readonly #messages: readonly NotificationParts[]
  readonly #idLength: number
  readonly #framed = new Map<Framing, FramedNotification>()

  constructor(messages: readonly NotificationParts[], idLength: number) {
    this.#messages = messages
    this.#idLength = idLength
  }

  /** The size of all messages in bytes. */
  get size(): number {
    return this.#messages.reduce((sum, { head, tail }) => sum + head.length + this.#idLength + tail.length, 0)
  }

  /** Returns the messages for one receiver as text, for receivers without a stream. */
  textsFor(subscriptionId: Uint8Array): readonly string[] {
    return this.#messages.map(({ head, tail }) => Buffer.concat([head, subscriptionId, tail]).toString())
  }

  framedBy(framing: Framing): FramedNotification {
    let framed = this.#framed.get(framing)
    if (framed === undefined) {
      framed = new FramedNotification(this.#messages, this.#idLength, framing)
      this.#framed.set(framing, framed)
    }
    return framed
  }
}

/** The largest notification that is onWritten in one piece; for larger ones a write of shared pieces is cheaper. */
const maxTemplateBytes = 16_384

/** The bytes of a notification as one transport sends them. */
export class FramedNotification {
  readonly size: number
  /** The bytes that all receivers share; the subscription id follows each piece but the last. */
  readonly #pieces: readonly Uint8Array[]
  readonly #idLength: number
  /**
   * The whole notification, into which the id of the next receiver is onWritten; undefined if there is no free
   * buffer.
   */
  #template: Buffer | undefined

  constructor(messages: readonly NotificationParts[], idLength: number, framing: Framing) {
    const pieces: Uint8Array[] = []
    let open: Uint8Array[] = []
    for (const { head, tail } of messages) {
      pieces.push(Buffer.concat([...open, framing.open(head.length + idLength + tail.length), head]))
      open = [tail, framing.close]
    }
    pieces.push(Buffer.concat(open))
    this.#pieces = pieces
    this.#idLength = idLength
    this.size = pieces.reduce((sum, { length }) => sum + length, messages.length * idLength)
  }

  /**
   * Writes the notification to one receiver. If the stream flushes everything at once, as it does for a client that
   * keeps up, the template is reused for the next one. For a client that is behind, the shared pieces are queued, which
   * takes no memory.
   */
  writeTo(stream: ByteStream, subscriptionId: Uint8Array, onWritten: () => void): void {
    if (stream.writableLength > 0 || this.size > maxTemplateBytes)
      return this.#writePieces(stream, subscriptionId, onWritten)
    stream.write(this.#fill(subscriptionId), onWritten)
    if (stream.writableLength > 0) this.#template = undefined
  }

  #writePieces(stream: ByteStream, subscriptionId: Uint8Array, onWritten: () => void): void {
    const last = this.#pieces.length - 1
    stream.cork()
    for (const [index, piece] of this.#pieces.entries()) {
      if (index === last) stream.write(piece, onWritten)
      else {
        stream.write(piece)
        stream.write(subscriptionId)
      }
    }
    stream.uncork()
  }

  #fill(subscriptionId: Uint8Array): Buffer {
    const isNew = this.#template === undefined
    this.#template ??= Buffer.allocUnsafeSlow(this.size)
    const last = this.#pieces.length - 1
    let at = 0
    for (const [index, piece] of this.#pieces.entries()) {
      if (isNew) this.#template.set(piece, at)
      at += piece.length
      if (index === last) break
      this.#template.set(subscriptionId, at)
      at += this.#idLength
    }
    return this.#template
  }
}
