/** A position in the bytes of a protobuf message. */
export class WireCursor {
  readonly #bytes: Uint8Array
  at = 0

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes
  }

  /** Reads a varint of at most 10 bytes; above 2^53 the value is inexact. Returns NaN if it does not end. */
  varint(end: number): number {
    let value = 0
    let scale = 1
    for (let count = 0; count < 10 && this.at < end; count++) {
      const byte = this.#bytes[this.at++] as number
      value += (byte & 0x7f) * scale
      if (byte < 0x80) return value
      scale *= 128
    }
    return Number.NaN
  }
}
