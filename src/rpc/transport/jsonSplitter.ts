import { closeBrace, closeBracket, openBrace, openBracket, quote, space } from '../../base/json/jsonCodes.ts'
import { TextSkipper } from '../../base/json/jsonTokens.ts'
import { ChunkBuffer } from './chunkBuffer.ts'

/**
 * Cuts a stream of JSON values into messages. IPC clients send values one after the other, with or without white
 * space between them (web3.py sends none), so that a message ends where its brackets close. Anything outside of
 * brackets, such as a number or a word, ends before the next white space, bracket or quote.
 */

export class JsonSplitter {
  readonly #maxBytes: number
  readonly #onMessage: (message: Buffer) => void
  readonly #message = new ChunkBuffer()
  #depth = 0
  #inWord = false
  readonly #texts = new TextSkipper()

  constructor(maxBytes: number, onMessage: (message: Buffer) => void) {
    this.#maxBytes = maxBytes
    this.#onMessage = onMessage
  }

  /** The bytes of a message that has begun and not ended. */
  get size(): number {
    return this.#message.size
  }

  /** Reads a chunk. Returns false if a message is too large; the stream cannot be used any more then. */
  write(chunk: Buffer): boolean {
    let start = 0
    for (let at = 0; at < chunk.length; ) {
      const isInText = this.#texts.isInText
      const code = chunk[at] as number
      if (this.#inWord && endsWord(code)) {
        if (!this.#deliver(chunk.subarray(start, at))) return false
        start = at
      }
      at = isInText ? this.#texts.skip(chunk, at) : at + 1
      if (isInText ? !this.#texts.isInText && this.#depth === 0 : this.#endsWith(code)) {
        if (!this.#deliver(chunk.subarray(start, at))) return false
        start = at
      } else if (this.#depth === 0 && !isInText && code <= space) start = at
    }
    if (start < chunk.length) this.#message.add(chunk.subarray(start))
    return this.#message.size <= this.#maxBytes
  }

  #deliver(rest: Buffer): boolean {
    this.#inWord = false
    this.#message.add(rest)
    if (this.#message.size > this.#maxBytes) return false
    this.#onMessage(this.#message.take())
    return true
  }

  /** Reads a byte outside of texts; returns whether the message ends with it. */
  #endsWith(code: number): boolean {
    switch (code) {
      case quote:
        this.#texts.isInText = true
        return false
      case openBrace:
      case openBracket:
        this.#depth++
        return false
      case closeBrace:
      case closeBracket:
        // A closing bracket without an opening one is a message, which the parser rejects.
        this.#depth = Math.max(0, this.#depth - 1)
        return this.#depth === 0
      default:
        this.#inWord = this.#depth === 0 && code > space
        return false
    }
  }
}

const endsWord = (code: number): boolean =>
  code <= space ||
  code === quote ||
  code === openBrace ||
  code === openBracket ||
  code === closeBrace ||
  code === closeBracket
