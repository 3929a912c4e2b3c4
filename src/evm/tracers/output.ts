/** Takes the text of a trace piece by piece. The bytes hold only during the call. */
export interface TraceSink {
  write(bytes: Uint8Array): void
}

const chunkSize = 256 * 1024
const zero = 0x30
/** Up to here a loop is faster than a call out of JavaScript. */
const shortText = 48

const pairs = new Uint16Array(256)
for (let byte = 0; byte < 256; byte++) {
  const digits = byte.toString(16).padStart(2, '0')
  pairs[byte] = digits.charCodeAt(0) | (digits.charCodeAt(1) << 8)
}

/** JSON on its way to a sink, as bytes. What tracers write most often goes there without a string in between. */
export class TraceOutput {
  readonly #sink: TraceSink
  #buffer = Buffer.allocUnsafe(2 * chunkSize)
  #at = 0
  #flushed = 0

  /** Bytes written so far. */
  get size(): number {
    return this.#flushed + this.#at
  }

  constructor(sink: TraceSink) {
    this.#sink = sink
  }

  /** Text without characters beyond ASCII. */
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

  /** Text as it is, in UTF-8. */
  raw(bytes: Uint8Array): void {
    this.#reserve(bytes.length)
    this.#buffer.set(bytes, this.#at)
    this.#at += bytes.length
  }

  /** A value as JSON; its text is made whole, so this is for small ones. */
  json(value: unknown): void {
    const text = JSON.stringify(value)
    this.#reserve(text.length * 3)
    this.#at += this.#buffer.write(text, this.#at)
  }

  /** A value that is not negative, in decimal digits. */
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

  /** Bytes as pairs of digits, without prefix. */
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

  /** A word of 32 bytes, the lowest first, as QUANTITY. */
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

  /** DATA in quotes. */
  data(bytes: Uint8Array): void {
    this.ascii('"0x')
    this.hex(bytes)
    this.ascii('"')
  }

  /** QUANTITY in quotes. */
  quantity(value: bigint | number): void {
    this.ascii(`"0x${value.toString(16)}"`)
  }

  /** Everything written so far is with the sink. */
  flush(): void {
    if (this.#at === 0) return
    this.#sink.write(this.#buffer.subarray(0, this.#at))
    this.#flushed += this.#at
    this.#at = 0
  }

  #reserve(size: number): void {
    if (this.#at + size <= this.#buffer.length) return
    this.flush()
    if (size > this.#buffer.length) this.#buffer = Buffer.allocUnsafe(size)
  }
}
