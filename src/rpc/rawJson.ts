/**
 * A result that is JSON already. Rows are stored in the encoding in which they are served, so that they are copied
 * and never parsed and encoded again.
 */
export class RawJson {
  /** The parts of the text, in order. */
  readonly parts: readonly Uint8Array[]

  constructor(bytes: Uint8Array | readonly Uint8Array[]) {
    this.parts = bytes instanceof Uint8Array ? [bytes] : bytes
  }
}

/** A result that is JSON already and may be too long for memory. It is read once, in pieces, and then disposed of. */
export class StreamedResult {
  readonly size: number
  readonly read: () => AsyncIterable<Uint8Array>
  readonly dispose: () => void

  constructor(size: number, read: () => AsyncIterable<Uint8Array>, dispose: () => void) {
    this.size = size
    this.read = read
    this.dispose = dispose
  }

  /** Reads the whole result into memory, in the pieces in which it comes. The caller must know that it is short enough. */
  async collect(): Promise<readonly Uint8Array[]> {
    try {
      const pieces: Uint8Array[] = []
      for await (const piece of this.read()) pieces.push(piece)
      return pieces
    } finally {
      this.dispose()
    }
  }
}
