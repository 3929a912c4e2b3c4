import { emptyBytes } from '../../../base/encoding/bytes.ts'
import { encodeVarint } from '../../../base/encoding/protobuf/protoWriter.ts'

/** The framing of ABCI messages on a stream: the length as an unsigned varint, then the bytes. */

/** The maximum size of a message, above any block that the engine can hold (100 MiB) with its envelope. */
const maxFrameBytes = 110 * 1024 * 1024
const maxLengthBytes = 5

export class FrameError extends Error {
  override readonly name = 'FrameError'
}

/** Splits a stream into messages, whatever pieces it arrives in. The work is linear in its bytes, and so is the memory. */
export class FrameReader {
  /** What was not taken yet is in `#bytes` from `#at` to `#end`. */
  #bytes: Uint8Array = emptyBytes
  #at = 0
  #end = 0
  /** The length of the current message; undefined while the length itself is incomplete. */
  #expectedLength: number | undefined

  /** The memory that it holds, whatever pieces the bytes came in. */
  get heldBytes(): number {
    return this.#bytes.length
  }

  /** Adds a piece and yields the messages that it completes. They stay as they are, whatever is added later. */
  *push(piece: Uint8Array): Generator<Uint8Array, void> {
    this.#add(piece)
    for (;;) {
      this.#expectedLength ??= this.#takeLength()
      const length = this.#expectedLength
      if (length === undefined || this.#end - this.#at < length) return
      this.#expectedLength = undefined
      this.#at += length
      yield this.#bytes.subarray(this.#at - length, this.#at)
    }
  }

  #add(piece: Uint8Array): void {
    const held = this.#end - this.#at
    if (held === 0) {
      this.#bytes = piece
      this.#at = 0
      this.#end = piece.length
      return
    }
    const needed = held + piece.length
    if (this.#end + piece.length > this.#bytes.length) {
      // Twice as much as is needed, so that each byte is copied a few times at most, but no more than the message has.
      const capacity = Math.max(needed, Math.min(2 * needed, this.#expectedLength ?? 0))
      const bytes = Buffer.allocUnsafeSlow(capacity)
      bytes.set(this.#bytes.subarray(this.#at, this.#end))
      this.#bytes = bytes
      this.#at = 0
      this.#end = held
    }
    this.#bytes.set(piece, this.#end)
    this.#end += piece.length
  }

  #takeLength(): number | undefined {
    let length = 0
    for (let index = 0; index < maxLengthBytes; index++) {
      if (this.#at + index === this.#end) return undefined
      const byte = this.#bytes[this.#at + index] as number
      length += (byte & 0x7f) * 2 ** (7 * index)
      if (byte >= 0x80) continue
      if (length > maxFrameBytes)
        throw new FrameError(`a message of ${length} bytes is over the ${maxFrameBytes} that are read`)
      // Each message names its call, and a response to a message that names none costs the most for its bytes.
      if (length === 0) throw new FrameError('a message has no bytes')
      this.#at += index + 1
      return length
    }
    throw new FrameError('the length of a message has no end')
  }
}

/** Returns the message with its length in front. */
export const encodeAbciFrame = (message: Uint8Array): Uint8Array =>
  Buffer.concat([encodeVarint(message.length), message])
