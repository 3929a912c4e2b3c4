/**
 * Cuts a stream of JSON values into messages. IPC clients send values one after the other, with or without white
 * space between them (web3.py sends none), so the end of a message is where its brackets close.
 */

const quote = 0x22
const backslash = 0x5c
const space = 0x20
const lineFeed = 0x0a

export class JsonStream {
  readonly #maxBytes: number
  readonly #onMessage: (message: Buffer) => void
  #chunks: Buffer[] = []
  #size = 0
  #depth = 0
  #isStarted = false
  #inString = false
  #escaped = false

  constructor(maxBytes: number, onMessage: (message: Buffer) => void) {
    this.#maxBytes = maxBytes
    this.#onMessage = onMessage
  }

  /** False when a message is larger than allowed: the stream is of no use any more. */
  write(chunk: Buffer): boolean {
    let start = 0
    for (let at = 0; at < chunk.length; at++) {
      const code = chunk[at] as number
      if (!this.#isStarted) {
        if (code <= space) {
          start = at + 1
          continue
        }
        this.#isStarted = true
      }
      if (!this.#endsWith(code)) continue
      this.#keep(chunk.subarray(start, at + 1))
      start = at + 1
      if (this.#size > this.#maxBytes) return false
      this.#deliver()
    }
    this.#keep(chunk.subarray(start))
    return this.#size <= this.#maxBytes
  }

  #keep(part: Buffer): void {
    if (part.length === 0) return
    this.#chunks.push(part)
    this.#size += part.length
  }

  #deliver(): void {
    const message = Buffer.concat(this.#chunks)
    this.#chunks = []
    this.#size = 0
    this.#isStarted = false
    this.#onMessage(message)
  }

  /** Takes one byte of a message; true when the message ends with it. */
  #endsWith(code: number): boolean {
    if (this.#inString) {
      if (this.#escaped) this.#escaped = false
      else if (code === backslash) this.#escaped = true
      else if (code === quote) this.#inString = false
      return false
    }
    switch (code) {
      case quote:
        this.#inString = true
        return false
      case 0x7b: // {
      case 0x5b: // [
        this.#depth++
        return false
      case 0x7d: // }
      case 0x5d: // ]
        // A bracket that closes nothing is a message of its own, which the parser refuses.
        this.#depth = Math.max(0, this.#depth - 1)
        return this.#depth === 0
      case lineFeed:
        // Whatever stands outside of brackets, such as a stray word, ends with its line.
        return this.#depth === 0
      default:
        return false
    }
  }
}
