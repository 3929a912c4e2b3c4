const firstBytes = 65_536

/** Bytes of PostgreSQL's binary COPY: integers are written with their highest byte first. */
export class CopyBuffer {
  #bytes: Buffer = Buffer.allocUnsafeSlow(firstBytes)
  length = 0

  /** All bytes; valid until the next one is written. */
  get bytes(): Buffer {
    return this.#bytes.subarray(0, this.length)
  }

  int16(value: number): void {
    this.#reserve(2)
    this.length = this.#bytes.writeInt16BE(value, this.length)
  }

  int32(value: number): void {
    this.#reserve(4)
    this.length = this.#bytes.writeInt32BE(value, this.length)
  }

  /** Writes an integer of up to 53 bits as 64 bits. */
  int64(value: number): void {
    this.#reserve(8)
    const high = Math.floor(value / 2 ** 32)
    this.#bytes.writeInt32BE(high, this.length)
    this.length = this.#bytes.writeUInt32BE(value - high * 2 ** 32, this.length + 4)
  }

  bigint64(value: bigint): void {
    this.#reserve(8)
    this.length = this.#bytes.writeBigInt64BE(value, this.length)
  }

  byte(value: number): void {
    this.#reserve(1)
    this.#bytes[this.length++] = value
  }

  /** Writes text with its length before it. */
  text(value: string): void {
    const start = this.length
    this.#reserve(4 + 3 * value.length)
    this.length += 4
    this.length += this.#bytes.write(value, this.length)
    this.#bytes.writeInt32BE(this.length - start - 4, start)
  }

  /** Writes the bytes of DATA with their number before them. */
  hex(data: string): void {
    const count = (data.length - 2) / 2
    if (!Number.isInteger(count) || data.charCodeAt(1) !== letterX) throw notData(data)
    this.int32(count)
    this.#reserve(count)
    if (count > shortData) {
      if (this.#bytes.write(data.slice(2), this.length, 'hex') !== count) throw notData(data)
    } else this.#shortHex(data, count)
    this.length += count
  }

  /** A call into Node costs more than this for an address or a hash. */
  #shortHex(data: string, count: number): void {
    const bytes = this.#bytes
    let wrong = 0
    for (let to = this.length, from = 2, end = to + count; to < end; to++, from += 2) {
      const value = digit(data.charCodeAt(from)) * 16 + digit(data.charCodeAt(from + 1))
      wrong |= value
      bytes[to] = value
    }
    if (wrong > 255) throw notData(data)
  }

  append(bytes: Uint8Array): void {
    this.#reserve(bytes.length)
    this.#bytes.set(bytes, this.length)
    this.length += bytes.length
  }

  #reserve(count: number): void {
    const needed = this.length + count
    if (needed <= this.#bytes.length) return
    const larger = Buffer.allocUnsafeSlow(Math.max(needed, 2 * this.#bytes.length))
    this.#bytes.copy(larger, 0, 0, this.length)
    this.#bytes = larger
  }
}

const letterX = 'x'.charCodeAt(0)
const shortData = 64

/** The values of hexadecimal digits by their codes; a large one for other characters. */
const digits = Uint16Array.from({ length: 128 }, (_, code) => {
  const value = Number.parseInt(String.fromCharCode(code), 16)
  return Number.isNaN(value) ? 4096 : value
})

const digit = (code: number): number => (code < 128 ? (digits[code] as number) : 4096)

const notData = (text: string): Error => new Error(`not DATA: ${text.slice(0, 80)}`)
