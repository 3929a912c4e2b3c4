import { encodeUtf8 } from '../utf8.ts'

/**
 * Protobuf by hand, for browsers too: this file writes, `protoReader.ts` reads, and nothing else in the program does either but
 * the generated codec (`cosmos/protobuf.ts`). By hand are
 * - bytes that are hashed or signed, which no release of a library may change: `comet/data` (headers, commits, contents of
 *   blocks) and `light` (validators, ICS-23 proofs, values below them), where the size in a browser counts too;
 * - the few messages that are written or taken apart for every transaction, where the library's objects cost more than what is
 *   done with them: `cosmos/transaction/wrap.ts` and `unwrap.ts`, `cosmos/results`, and the requests and responses of
 *   `engine/cometbft/abci` that hold a block;
 * - the log of CometBFT's consensus, of whose messages a number or two is read (`engine/cometbft/signing/voteLog.ts`);
 * - the walk over what a stranger sent, before the generated codec decodes it (`cosmos/wire.ts`).
 * All else, queries above all, is the generated codec's. Tests compare the bytes of both.
 */

/** Writes messages into a buffer that is used again. */
export class ProtoWriter {
  readonly #fields = new FieldWriter()
  #isWriting = false

  /** Returns the message whose fields `fill` writes. A `fill` that throws leaves nothing behind for the next. */
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
  #buffer = new Uint8Array(firstBytes)
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
    if (bytes.length > 0) this.message(field, bytes)
  }

  /** Writes a message that is encoded already; it is present even if it is empty. */
  message(field: number, bytes: Uint8Array): void {
    this.#reserve(2 * maxVarintBytes + bytes.length)
    this.#varint(tagOf(field, lengthDelimited))
    this.#varint(bytes.length)
    this.#buffer.set(bytes, this.#length)
    this.#length += bytes.length
  }

  text(field: number, text: string): void {
    if (text === '' || (text.length < 0x80 && this.#shortAscii(field, text))) return
    this.message(field, encodeUtf8(text))
  }

  /** Writes a short text without an object for it, as names are; returns false if it is not ASCII, and writes nothing. */
  #shortAscii(field: number, text: string): boolean {
    this.#reserve(maxVarintBytes + 1 + text.length)
    const start = this.#length
    this.#varint(tagOf(field, lengthDelimited))
    this.#buffer[this.#length++] = text.length
    for (let index = 0; index < text.length; index++) {
      const code = text.charCodeAt(index)
      if (code >= 0x80) {
        this.#length = start
        return false
      }
      this.#buffer[this.#length++] = code
    }
    return true
  }

  /** Writes an integer of up to 64 bits; a negative one takes ten bytes. */
  integer(field: number, value: number | bigint): void {
    if (value === 0 || value === 0n) return
    this.#reserve(maxVarintBytes)
    this.#varint(tagOf(field, varint))
    this.number(value)
  }

  /** Writes an integer of 64 bits in a field of fixed length. */
  fixed64(field: number, value: bigint): void {
    if (value === 0n) return
    this.#reserve(maxVarintBytes + 8)
    this.#varint(tagOf(field, fixed64))
    new DataView(this.#buffer.buffer).setBigInt64(this.#length, value, true)
    this.#length += 8
  }

  /** Writes an integer without a tag, as a length in front of something is. */
  number(value: number | bigint): void {
    this.#reserve(2 * maxVarintBytes)
    if (value >= 0 && value <= Number.MAX_SAFE_INTEGER) this.#varint(Number(value))
    else this.#longVarint(BigInt.asUintN(64, BigInt(value)))
  }

  /** Returns what was written. */
  copy(): Uint8Array {
    if (this.#starts.length > 0) throw new Error('a message is open')
    const written = new Uint8Array(this.#length)
    written.set(this.#buffer.subarray(0, this.#length))
    return written
  }

  /** Begins again. */
  clear(): void {
    this.#length = 0
    if (this.#starts.length > 0) this.#starts = []
    if (this.#buffer.length > maxKeptBytes) this.#buffer = new Uint8Array(firstBytes)
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
    const grown = new Uint8Array(Math.max(needed, 2 * this.#buffer.length))
    grown.set(this.#buffer.subarray(0, this.#length))
    this.#buffer = grown
  }
}

/** What a writer keeps between messages; the responses of large blocks are megabytes. */
const maxKeptBytes = 2 ** 20
const firstBytes = 4_096
const maxVarintBytes = 8
const varint = 0
const fixed64 = 1
const lengthDelimited = 2

const tagOf = (field: number, type: number): number => field * 8 + type

/** Returns the bytes that a length takes. */
export const varintSize = (value: number): number => {
  let bytes = 1
  for (let rest = value; rest >= 0x80; rest = Math.floor(rest / 0x80)) bytes++
  return bytes
}

/** Writes the pieces of what is hashed, one after the other. */
const pieces = new ProtoWriter()

export const encodeVarint = (value: number | bigint): Uint8Array => pieces.write((to) => to.number(value))

export const integerField = (field: number, value: bigint): Uint8Array =>
  pieces.write((to) => to.integer(field, value))

export const fixedField = (field: number, value: bigint): Uint8Array =>
  pieces.write((to) => to.fixed64(field, value))

/** Encodes an embedded message, which is present even if it is empty. */
export const messageField = (field: number, bytes: Uint8Array): Uint8Array =>
  pieces.write((to) => to.message(field, bytes))

export const bytesField = (field: number, bytes: Uint8Array): Uint8Array =>
  pieces.write((to) => to.bytes(field, bytes))
