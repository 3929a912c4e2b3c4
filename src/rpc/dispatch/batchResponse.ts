/** A part of the text of a response. */
export type Part = string | Uint8Array

/** A long response in pieces that are written one after the other, so that it is never copied as a whole. */
export class PiecedResponse {
  readonly pieces: readonly Uint8Array[]
  readonly size: number

  constructor(pieces: readonly Uint8Array[]) {
    this.pieces = pieces
    this.size = pieces.reduce((sum, { length }) => sum + length, 0)
  }

  /** Returns the response in one piece. */
  join(): Buffer {
    return Buffer.concat(this.pieces, this.size)
  }
}

/** The length at which the parts of a response are joined to a piece. */
const pieceBytes = 65_536

/** The responses of a batch. They are joined as they come, so that the memory they take is that of their text. */
export class BatchResponse {
  readonly #pieces: Buffer[] = []
  #parts: Part[] = []
  #partBytes = 0
  #isEmpty = true

  /** Adds the parts of one response, of `bytes` bytes together; none for a notification. */
  add(response: readonly Part[], bytes: number): void {
    if (response.length === 0) return
    this.#parts.push(this.#isEmpty ? '[' : ',')
    this.#isEmpty = false
    // One by one: a response may have more parts than a function call can have arguments.
    for (const part of response) this.#parts.push(part)
    this.#partBytes += bytes
    if (this.#partBytes > pieceBytes) this.#flush()
  }

  /** Returns the text of all responses; undefined if there was none. */
  finish(): string | Buffer | PiecedResponse | undefined {
    if (this.#isEmpty) return undefined
    this.#parts.push(']')
    if (this.#pieces.length === 0) return joinParts(this.#parts)
    this.#flush()
    return new PiecedResponse(this.#pieces)
  }

  #flush(): void {
    const piece = joinParts(this.#parts)
    if (piece !== undefined) this.#pieces.push(typeof piece === 'string' ? Buffer.from(piece) : piece)
    this.#parts = []
    this.#partBytes = 0
  }
}

/** Returns the parts as one text; undefined if there are none. */
export const joinParts = (parts: readonly Part[]): string | Buffer | undefined => {
  if (parts.length === 0) return undefined
  if (parts.every((part) => typeof part === 'string')) return parts.join('')
  return Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : part)))
}

/** The length from which on a part costs more to copy than to write as a piece of its own. */
const longPart = 32_768

/** Returns the parts as one text, or in pieces where one of them is long; undefined if there are none. */
export const joinShortParts = (parts: readonly Part[]): string | Buffer | PiecedResponse | undefined => {
  if (!parts.some(isLong)) return joinParts(parts)
  const pieces: Uint8Array[] = []
  let from = 0
  const join = (to: number): void => {
    if (to > from) pieces.push(Buffer.from(joinParts(parts.slice(from, to)) ?? ''))
    from = to + 1
  }
  for (const [at, part] of parts.entries()) {
    if (!isLong(part)) continue
    join(at)
    pieces.push(part)
  }
  join(parts.length)
  return new PiecedResponse(pieces)
}

const isLong = (part: Part): part is Uint8Array => typeof part !== 'string' && part.length >= longPart

/** Returns the length of a response in bytes. */
export const responseBytes = (response: string | Buffer | PiecedResponse): number => {
  if (typeof response === 'string') return Buffer.byteLength(response)
  return response instanceof PiecedResponse ? response.size : response.length
}

/** Returns the length of the text in bytes. */
export const sizeOf = (parts: readonly Part[]): number =>
  parts.reduce((sum, part) => sum + (typeof part === 'string' ? Buffer.byteLength(part) : part.length), 0)
