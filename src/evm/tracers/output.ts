import { toHex } from '../../base/encoding/hex.ts'

/** Receives the text of a trace in pieces. The bytes are valid only during the call. */
export interface TraceSink {
  write(bytes: Uint8Array): void
}

const chunkSize = 256 * 1024
const bufferSize = 2 * chunkSize
const zero = 0x30
/** The length up to which a loop is faster than a native call. */
const shortText = 48

const pairs = new Uint16Array(256)
for (let byte = 0; byte < 256; byte++) {
  const digits = byte.toString(16).padStart(2, '0')
  pairs[byte] = digits.charCodeAt(0) | (digits.charCodeAt(1) << 8)
}

/** Returns bytes as JSON, which are null where there are none. */
export const hexOrNull = (bytes: Uint8Array | undefined): string =>
  bytes === undefined ? 'null' : `"${toHex(bytes)}"`

/** The buffer of a trace that has ended, for the next one on this thread. */
let spare: Buffer | undefined

/** Writes JSON to a sink as bytes; the most frequent values are written without an intermediate string. */
export class TraceOutput {
  readonly #sink: TraceSink
  #buffer: Buffer
  #at = 0
  #flushed = 0

  /** The number of bytes written so far. */
  get size(): number {
    return this.#flushed + this.#at
  }

  constructor(sink: TraceSink) {
    this.#sink = sink
    this.#buffer = spare ?? Buffer.allocUnsafe(bufferSize)
    spare = undefined
  }

  /** Writes text that is all ASCII. */
  ascii(text: string): void {
    const { length } = text
    this.#reserve(length)
    if (length > shortText) {
      this.#at += this.#buffer.write(text, this.#at, 'latin1')
      return
    }
    const buffer = this.#buffer
    let at = this.#at
    for (let i = 0; i < length; i++) buffer[at++] = text.charCodeAt(i)
    this.#at = at
  }

  /** Writes UTF-8 text as it is. */
  raw(bytes: Uint8Array): void {
    this.#reserve(bytes.length)
    this.#buffer.set(bytes, this.#at)
    this.#at += bytes.length
  }

  /** Writes a small value as JSON; its whole text is built in memory. */
  json(value: unknown): void {
    const text = JSON.stringify(value)
    this.#reserve(text.length * 3)
    this.#at += this.#buffer.write(text, this.#at)
  }

  /** Writes a non-negative value in decimal digits. */
  decimal(value: bigint | number): void {
    if (typeof value === 'bigint' && value > 0xffff_ffffn) return this.ascii(value.toString())
    let rest = Number(value)
    if (rest > 0xffff_ffff) return this.ascii(rest.toString())
    this.#reserve(10)
    let size = 1
    for (let bound = 10; rest >= bound; bound *= 10) size++
    for (let at = this.#at + size - 1; at >= this.#at; at--) {
      const next = Math.floor(rest / 10)
      this.#buffer[at] = zero + rest - next * 10
      rest = next
    }
    this.#at += size
  }

  /** Writes bytes as hex without prefix. */
  hex(bytes: Uint8Array, from = 0, to = bytes.length): void {
    for (let start = from; start < to; start += chunkSize / 2) {
      const end = Math.min(to, start + chunkSize / 2)
      this.#reserve(2 * (end - start))
      const buffer = this.#buffer
      let at = this.#at
      for (let i = start; i < end; i++) {
        const pair = pairs[bytes[i] as number] as number
        buffer[at++] = pair & 0xff
        buffer[at++] = pair >> 8
      }
      this.#at = at
    }
  }

  /** Writes a word of 32 bytes, the lowest first, as QUANTITY. */
  word(bytes: Uint8Array, from: number): void {
    this.#reserve(66)
    const buffer = this.#buffer
    let at = this.#at
    let i = from + 31
    while (i > from && bytes[i] === 0) i--
    buffer[at++] = zero
    buffer[at++] = 0x78
    const top = pairs[bytes[i] as number] as number
    if ((bytes[i] as number) > 15) buffer[at++] = top & 0xff
    buffer[at++] = top >> 8
    for (i--; i >= from; i--) {
      const pair = pairs[bytes[i] as number] as number
      buffer[at++] = pair & 0xff
      buffer[at++] = pair >> 8
    }
    this.#at = at
  }

  /** Writes DATA in quotes. */
  data(bytes: Uint8Array): void {
    this.ascii('"0x')
    this.hex(bytes)
    this.ascii('"')
  }

  /** Writes QUANTITY in quotes. */
  quantity(value: bigint | number): void {
    this.ascii(`"0x${value.toString(16)}"`)
  }

  /** Writes a member whose value is DATA. `lead` is its name, with the punctuation around it. */
  dataMember(lead: string, bytes: Uint8Array): void {
    this.ascii(lead)
    this.data(bytes)
  }

  quantityMember(lead: string, value: bigint | number): void {
    this.ascii(lead)
    this.quantity(value)
  }

  /** Writes a list as a further member of an object; nothing for an empty one. */
  listMember<Item>(name: string, items: readonly Item[], write: (item: Item) => void): void {
    let lead = `,"${name}":[`
    for (const item of items) {
      this.ascii(lead)
      write(item)
      lead = ','
    }
    if (items.length > 0) this.ascii(']')
  }

  /** Passes everything written so far to the sink. */
  flush(): void {
    if (this.#at === 0) return
    this.#sink.write(this.#buffer.subarray(0, this.#at))
    this.#flushed += this.#at
    this.#at = 0
  }

  /** Passes the rest to the sink; nothing can be written any more. */
  end(): void {
    this.flush()
    if (this.#buffer.length === bufferSize) spare = this.#buffer
    this.#buffer = Buffer.alloc(0)
  }

  #reserve(size: number): void {
    if (this.#at + size <= this.#buffer.length) return
    this.flush()
    if (size > this.#buffer.length) this.#buffer = Buffer.allocUnsafe(size)
  }
}
