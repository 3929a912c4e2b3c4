import type { Socket } from 'node:net'
import { giveBack } from '../../../base/lentBytes.ts'
import { PiecedResponse } from '../../dispatch/batchResponse.ts'
import type { Message } from '../../dispatch/requestHandler.ts'
import type { RequestScope } from '../../dispatch/requestScope.ts'
import type { UnreadResponses } from '../http/unreadResponses.ts'
import type { ResponseHeads } from './responseHead.ts'

/** A body with status 200, with the scope that holds its memory. */
export interface Answer {
  readonly body: Message
  readonly bytes: number
  readonly scope: RequestScope
}

/** The longest body in bytes that is copied behind its head, because that costs less than another write. */
const copiedBytes = 32_768

/** The length of text that is written before the end of a turn: a string has an end. */
const maxTextLength = 2 ** 20

/** Writes the responses of a connection: those of one turn together. */
export class AnswerWriter {
  readonly #socket: Socket
  readonly #heads: ResponseHeads
  readonly #unreadResponses: UnreadResponses
  /** What is to be written, one character a byte. */
  #text = ''
  /** The responses that were appended since the last flush. */
  #scopes: RequestScope[] = []
  #bytes = 0

  constructor(socket: Socket, heads: ResponseHeads, unreadResponses: UnreadResponses) {
    this.#socket = socket
    this.#heads = heads
    this.#unreadResponses = unreadResponses
  }

  /** The bytes that were appended since the last flush. */
  get bytes(): number {
    return this.#bytes
  }

  append({ body, bytes, scope }: Answer): void {
    this.#bytes += bytes
    this.#scopes.push(scope)
    const head = this.#heads.of(bytes)
    if (typeof body === 'string') {
      this.#text += head + (bytes === body.length ? body : Buffer.from(body).toString('latin1'))
    } else if (bytes <= copiedBytes && !(body instanceof PiecedResponse)) {
      this.#text += head + body.toString('latin1')
    } else {
      this.#text += head
      this.#writePieces(body instanceof PiecedResponse ? body.pieces : [body])
    }
    if (this.#text.length > maxTextLength) this.#writePieces([])
  }

  /** Writes what was appended. Returns whether the kernel took all of it. */
  flush(): boolean {
    if (this.#scopes.length === 0) return true
    const socket = this.#socket
    if (this.#text !== '') socket.write(this.#text, 'latin1')
    this.#text = ''
    if (socket.writableLength > 0) {
      this.#watch()
      return false
    }
    this.release()
    return true
  }

  /** Gives back the memory of what was appended and not flushed. */
  release(): void {
    for (const scope of this.#scopes) scope.release()
    this.#scopes.length = 0
    this.#bytes = 0
  }

  #writePieces(pieces: readonly Uint8Array[]): void {
    const socket = this.#socket
    socket.cork()
    socket.write(this.#text, 'latin1')
    this.#text = ''
    for (const piece of pieces) socket.write(piece)
    socket.uncork()
    // The kernel has all of it.
    if (socket.writableLength === 0) for (const piece of pieces) giveBack(piece)
  }

  /** Has the memory of what was written given back when the client has read it. */
  #watch(): void {
    const socket = this.#socket
    const scopes = this.#scopes
    const written = {
      socket,
      // An empty write is done when everything before it is.
      onceRead: (listener: () => void) => void socket.write('', () => listener()),
      destroy: () => void socket.destroy(),
    }
    const release = (): void => {
      for (const scope of scopes) scope.release()
    }
    const bytes = this.#bytes
    this.#scopes = []
    this.#bytes = 0
    this.#unreadResponses.watch(written, bytes, { release })
  }
}
