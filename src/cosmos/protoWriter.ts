/**
 * Writes protobuf messages into a buffer that is used again. For the few messages that are written for every transaction,
 * where the library's objects cost more than what is done with them; tests compare each with the library's bytes.
 */
export class ProtoWriter {
  readonly #fields = new FieldWriter()
  #isWriting = false

  /** Returns the message whose fields `fill` writes. One that fails leaves nothing behind for the next. */
  write(fill: (fields: ProtoFields) => void): Uint8Array {
    if (this.#isWriting) throw new Error('another message is being written')
    this.#isWriting = true
    try {
      fill(this.#fields)
      return this.#fields.copy()
    } finally {
      this.#fields.clear()
      this.#isWriting = false
    }
  }
}

/** What writes the fields of a message. */
export type ProtoFields = Omit<FieldWriter, 'copy' | 'clear'>

class FieldWriter {
  #buffer = Buffer.allocUnsafe(4_096)
  #length = 0
  /** Where the open messages begin, the innermost last. */
  #starts: number[] = []

  /** Begins a message within the open one. */
  begin(field: number): void {
    this.#reserve(maxVarintBytes + 1)
    this.#varint(tagOf(field, lengthDelimited))
    // One byte for the length, which is most often enough.
    this.#length++
    this.#starts.push(this.#length)
  }

  end(): void {
    const start = this.#starts.pop()
    if (start === undefined) throw new Error('no message is open')
    const length = this.#length - start
    const extra = varintSize(length) - 1
    if (extra > 0) {
      this.#reserve(extra)
      this.#buffer.copyWithin(start + extra, start, this.#length)
    }
    this.#length = start - 1
    this.#varint(length)
    this.#length += length
  }

  /** Writes bytes; a field without content is left out, as in every encoder of the third version of the language. */
  bytes(field: number, bytes: Uint8Array): void {
    if (bytes.length === 0) return
    this.#reserve(2 * maxVarintBytes + bytes.length)
    this.#varint(tagOf(field, lengthDelimited))
    this.#varint(bytes.length)
    this.#buffer.set(bytes, this.#length)
    this.#length += bytes.length
  }

  text(field: number, text: string): void {
    if (text === '') return
    const length = Buffer.byteLength(text)
    this.#reserve(2 * maxVarintBytes + length)
    this.#varint(tagOf(field, lengthDelimited))
    this.#varint(length)
    this.#length += this.#buffer.write(text, this.#length, length)
  }

  /** Writes an integer of up to 64 bits; a negative one takes ten bytes. */
  integer(field: number, value: number | bigint): void {
    if (value === 0 || value === 0n) return
    this.#reserve(3 * maxVarintBytes)
    this.#varint(tagOf(field, varint))
    if (value > 0 && value <= Number.MAX_SAFE_INTEGER) this.#varint(Number(value))
    else this.#longVarint(BigInt.asUintN(64, BigInt(value)))
  }

  /** Returns what was written. */
  copy(): Uint8Array {
    if (this.#starts.length > 0) throw new Error('a message is open')
    const written = new Uint8Array(this.#length)
    written.set(this.#buffer.subarray(0, this.#length))
    return written
  }

  /** Begins anew. */
  clear(): void {
    this.#length = 0
    if (this.#starts.length > 0) this.#starts = []
    if (this.#buffer.length > maxKeptBytes) this.#buffer = Buffer.allocUnsafe(4_096)
  }

  #varint(value: number): void {
    let rest = value
    for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) this.#buffer[this.#length++] = (rest % 0x80) | 0x80
    this.#buffer[this.#length++] = rest
  }

  #longVarint(value: bigint): void {
    let rest = value
    for (; rest >= 0x80n; rest >>= 7n) this.#buffer[this.#length++] = Number(rest & 0x7fn) | 0x80
    this.#buffer[this.#length++] = Number(rest)
  }

  #reserve(count: number): void {
    const needed = this.#length + count
    if (needed <= this.#buffer.length) return
    const grown = Buffer.allocUnsafe(Math.max(needed, 2 * this.#buffer.length))
    grown.set(this.#buffer.subarray(0, this.#length))
    this.#buffer = grown
  }
}

/** What a writer keeps between messages; the responses of large blocks are megabytes. */
const maxKeptBytes = 2 ** 20
const maxVarintBytes = 8
const varint = 0
const lengthDelimited = 2

const tagOf = (field: number, type: number): number => field * 8 + type

/** Returns the bytes that a length takes. */
export const varintSize = (value: number): number => {
  let bytes = 1
  for (let rest = value; rest >= 0x80; rest = Math.floor(rest / 0x80)) bytes++
  return bytes
}
