/**
 * A result that is JSON already: rows stored in the encoding in which they are served are copied, never parsed and
 * written again.
 */
export class RawJson {
  /** One after the other. */
  readonly parts: readonly Uint8Array[]

  constructor(bytes: Uint8Array | readonly Uint8Array[]) {
    this.parts = bytes instanceof Uint8Array ? [bytes] : bytes
  }
}

/** A result that is JSON already and may be too long for memory: it is read once, piece by piece, and then let go of. */
export class StreamedResult {
  readonly size: number
  readonly read: () => AsyncIterable<Uint8Array>
  readonly dispose: () => void

  constructor(size: number, read: () => AsyncIterable<Uint8Array>, dispose: () => void) {
    this.size = size
    this.read = read
    this.dispose = dispose
  }

  /** All of it at once, for those who know that it is short enough. */
  async collect(): Promise<Buffer> {
    try {
      const pieces: Uint8Array[] = []
      for await (const piece of this.read()) pieces.push(piece)
      return Buffer.concat(pieces)
    } finally {
      this.dispose()
    }
  }
}
