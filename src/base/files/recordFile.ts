import { ftruncateSync } from 'node:fs'
import { crc32 } from 'node:zlib'
import { writeAll } from './writeAll.ts'

/** Files of records that grow at their end. A record is a length and a CRC-32, 4 bytes each, and its content. */

const headerBytes = 8

const encodeRecord = (payload: Uint8Array): Uint8Array => {
  const record = Buffer.allocUnsafe(headerBytes + payload.length)
  record.writeUInt32LE(payload.length, 0)
  record.writeUInt32LE(crc32(payload), 4)
  record.set(payload, headerBytes)
  return record
}

export const encodeRecords = (payloads: Iterable<Uint8Array>): Uint8Array =>
  Buffer.concat([...payloads].map(encodeRecord))

interface FoundRecords {
  readonly payloads: readonly Uint8Array[]
  /** The number of records with a wrong checksum, including a torn end. */
  readonly damaged: number
  /** The offset at which the last complete record ends. */
  readonly end: number
}

/**
 * Reads the records of a file. A damaged one is skipped; a length that cannot be, or reaches beyond the file as at a torn end,
 * ends it: what follows may be content that somebody else wrote.
 */
export const readRecords = (bytes: Uint8Array, maxBytes: number): FoundRecords => {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
  const payloads: Uint8Array[] = []
  let damaged = 0
  let at = 0
  while (at < file.length) {
    const length = at + headerBytes <= file.length ? file.readUInt32LE(at) : Number.POSITIVE_INFINITY
    const end = at + headerBytes + length
    if (length === 0 || length > maxBytes || end > file.length)
      return { payloads, damaged: damaged + 1, end: at }
    const payload = file.subarray(at + headerBytes, end)
    if (crc32(payload) === file.readUInt32LE(at + 4)) payloads.push(new Uint8Array(payload))
    else damaged++
    at = end
  }
  return { payloads, damaged, end: at }
}

/** The bytes whose checksums are computed at most in the search for a record: content can look like many lengths. */
const mostSearched = 256e6

/**
 * Returns where the next whole record begins behind a length above `maxBytes`, which no torn write leaves; undefined if there is
 * none. It may be in the content of the damaged record, so that its writer chose it.
 */
export const findRecord = (bytes: Uint8Array, from: number, maxBytes: number): number | undefined => {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
  if (from + headerBytes > file.length || file.readUInt32LE(from) <= maxBytes) return undefined
  let left = mostSearched
  for (let at = from + 1; at + headerBytes < file.length && left > 0; at++) {
    const length = file.readUInt32LE(at)
    const end = at + headerBytes + length
    if (length === 0 || length > maxBytes || end > file.length) continue
    left -= length
    if (crc32(file.subarray(at + headerBytes, end)) === file.readUInt32LE(at + 4)) return at
  }
  return undefined
}

/** Appends records at the end of a file. Returns its new end. If it throws, the file is as it was. */
export const appendRecords = (
  file: number,
  end: number,
  payloads: Iterable<Uint8Array>,
  write = writeAll,
): number => {
  const bytes = encodeRecords(payloads)
  try {
    write(file, bytes, end)
  } catch (error) {
    // A partial record would hide all that come after it.
    ftruncateSync(file, end)
    throw error
  }
  return end + bytes.length
}
