/**
 * Collects the chunks of a message. A message that comes in one chunk is not copied; the chunks of any other are copied
 * together as they come, so that a message in a million chunks of one byte holds no more memory than its bytes.
 */
export class ChunkBuffer {
  readonly #expected: number
  #bytes: Buffer = empty
  #size = 0

  /** @param expected the size that the message is said to have, which it need not have; 0 if that is not known */
  constructor(expected = 0) {
    this.#expected = expected
  }

  get size(): number {
    return this.#size
  }

  add(chunk: Buffer): void {
    if (this.#size === 0) {
      this.#bytes = chunk
      this.#size = chunk.length
      return
    }
    const size = this.#size + chunk.length
    if (size > this.#bytes.length || this.#size === this.#bytes.length) {
      const larger = Buffer.allocUnsafeSlow(this.#nextLength(size))
      this.#bytes.copy(larger, 0, 0, this.#size)
      this.#bytes = larger
    }
    chunk.copy(this.#bytes, this.#size)
    this.#size = size
  }

  /** Returns how long the buffer for so many bytes is. Few steps to a known size leave less garbage, whose collection takes time. */
  #nextLength(size: number): number {
    if (size <= this.#expected) return Math.min(this.#expected, maxAhead * size)
    return Math.max(2 * size, minimumBytes)
  }

  /** Returns the whole message; the next chunk starts a new one. */
  take(): Buffer {
    const message = this.#bytes.subarray(0, this.#size)
    this.#bytes = empty
    this.#size = 0
    return message
  }
}

const empty = Buffer.alloc(0)
const minimumBytes = 4096
/** How far ahead of what has come memory is reserved, at most: nobody need send what it said. */
const maxAhead = 8
