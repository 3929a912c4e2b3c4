import { lendBytes } from '../../base/lentBytes.ts'
import type { Table } from '../../base/lmdb/lmdb.ts'
import { asBuffer } from './rowKeys.ts'

/**
 * Returns a row in lmdb's buffer, into which all of it is read, without memory of its own: it is to be used before the next
 * read overwrites it. Only its `length` is the row's length. The methods of Buffer may read beyond it, so that parts must be
 * copied by `copySlice` and `copyInto` alone, and searched for in `rowFrom`.
 */
export const peek = (table: Table, key: Uint8Array): Buffer | undefined => {
  const row: Uint8Array | undefined = table.getBinaryFast(key)
  // Rows over 16 MB are a view of the memory map, which is not a Buffer.
  return row === undefined || Buffer.isBuffer(row) ? row : asBuffer(row)
}

/** Returns a view of a row from `start` to its end, and nothing behind that. */
export const rowFrom = (row: Buffer, start: number): Buffer =>
  Buffer.from(row.buffer, row.byteOffset + start, row.length - start)

export const copyInto = (row: Buffer, start: number, end: number, target: Uint8Array, at: number): void =>
  target.set(new Uint8Array(row.buffer, row.byteOffset + start, end - start), at)

/** Allocates bytes for a response; large ones are not cleared first, because all of them are written. */
export const allocate = (length: number): Uint8Array =>
  length > 4096 ? new Uint8Array(Buffer.allocUnsafeSlow(length).buffer) : new Uint8Array(length)

/** The length from which on a response is lent its memory. */
const minLentLength = 32_768

/** Allocates bytes for a response that is likely to be written to one client; who does that may give them back. */
export const allocateText = (length: number): Uint8Array =>
  length < minLentLength ? allocate(length) : lendBytes(length)

export const copySlice = (row: Buffer, start: number, end: number): Uint8Array => {
  const bytes = allocate(end - start)
  copyInto(row, start, end, bytes, 0)
  return bytes
}

const minSlabBytes = 16_384
const maxSlabBytes = 2 ** 20

/**
 * Memory for the many results of one search: each is a part of a larger buffer, because allocations are what costs. A byte
 * is left between two of them.
 */
export class Slab {
  #bytes: Uint8Array = new Uint8Array()
  #used = 0
  #next = minSlabBytes
  #isFirst = true

  take(length: number): Uint8Array {
    if (this.#isFirst) {
      this.#isFirst = false
      // Most searches that find much in one block find nothing else.
      if (length >= minSlabBytes) return allocateText(length)
    }
    if (length > maxSlabBytes) return allocate(length)
    if (this.#used + length > this.#bytes.length) {
      while (this.#next < length) this.#next *= 4
      this.#bytes = allocate(this.#next)
      this.#used = 0
      this.#next = Math.min(maxSlabBytes, 4 * this.#next)
    }
    const part = this.#bytes.subarray(this.#used, this.#used + length)
    this.#used += length + 1
    return part
  }

  /** Writes a byte behind the part that was taken last, if there is room in its buffer. */
  follow(byte: number): void {
    if (this.#used > 0 && this.#used <= this.#bytes.length) this.#bytes[this.#used - 1] = byte
  }
}
