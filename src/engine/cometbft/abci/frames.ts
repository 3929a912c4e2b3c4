import { encodeVarint } from '../../../base/encoding/protobuf/protoWriter.ts'

/** The framing of ABCI messages on a stream: the length as an unsigned varint, then the bytes. */

/** The maximum size of a message, above any block that the engine can hold (100 MiB) with its envelope. */
const maxFrameBytes = 110 * 1024 * 1024
const maxLengthBytes = 5

export class FrameError extends Error {
  override readonly name = 'FrameError'
}

/** Splits a stream into messages, whatever pieces it arrives in. */
export class FrameReader {
  #pieces: Uint8Array[] = []
  #length = 0
  /** The length of the current message; undefined while the length itself is incomplete. */
  #expectedLength: number | undefined;

  /** Adds a piece and yields the messages that it completes. */
  *push(piece: Uint8Array): Generator<Uint8Array, void> {
    this.#pieces.push(piece)
    this.#length += piece.length
    for (;;) {
      this.#expectedLength ??= this.#takeLength()
      if (this.#expectedLength === undefined || this.#length < this.#expectedLength) return
      yield this.#take(this.#expectedLength)
      this.#expectedLength = undefined
    }
  }

  #takeLength(): number | undefined {
    const head = this.#peek(maxLengthBytes)
    let length = 0
    for (const [index, byte] of head.entries()) {
      length += (byte & 0x7f) * 2 ** (7 * index)
      if (byte >= 0x80) continue
      if (length > maxFrameBytes)
        throw new FrameError(`a message of ${length} bytes is over the ${maxFrameBytes} that are read`)
      this.#take(index + 1)
      return length
    }
    if (head.length === maxLengthBytes) throw new FrameError('the length of a message has no end')
    return undefined
  }

  #peek(count: number): Uint8Array {
    const [first] = this.#pieces
    if (first !== undefined && (first.length >= count || this.#pieces.length === 1))
      return first.subarray(0, count)
    return Buffer.concat(this.#pieces).subarray(0, count)
  }

  #take(count: number): Uint8Array {
    const all = this.#pieces.length === 1 ? (this.#pieces[0] as Uint8Array) : Buffer.concat(this.#pieces)
    const rest = all.subarray(count)
    this.#pieces = rest.length === 0 ? [] : [rest]
    this.#length -= count
    return all.subarray(0, count)
  }
}

/** Returns the message with its length in front. */
export const encodeAbciFrame = (message: Uint8Array): Uint8Array =>
  Buffer.concat([encodeVarint(message.length), message])
