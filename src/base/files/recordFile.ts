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
  /** The number of places that are damaged, including a torn end. */
  readonly damaged: number
  /** The offset at which the last complete record ends. */
  readonly end: number
}

/** Returns the end of the record at an offset; undefined if what is there is no whole record with its checksum. */
const recordEnd = (file: Buffer, at: number, maxBytes: number): number | undefined => {
  if (at + headerBytes > file.length) return undefined
  const length = file.readUInt32LE(at)
  const end = at + headerBytes + length
  if (length === 0 || length > maxBytes || end > file.length) return undefined
  return crc32(file.subarray(at + headerBytes, end)) === file.readUInt32LE(at + 4) ? end : undefined
}

/**
 * Reads the records of a file. What is damaged, be it the content or the length, is skipped up to the next bytes that are a
 * whole record with its checksum.
 */
export const readRecords = (bytes: Uint8Array, maxBytes: number): FoundRecords => {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
  const payloads: Uint8Array[] = []
  let damaged = 0
  let isDamaged = false
  let lastEnd = 0
  for (let at = 0; at < file.length; ) {
    const end = recordEnd(file, at, maxBytes)
    if (end === undefined) {
      if (!isDamaged) damaged++
      isDamaged = true
      at++
      continue
    }
    payloads.push(new Uint8Array(file.subarray(at + headerBytes, end)))
    isDamaged = false
    lastEnd = end
    at = end
  }
  return { payloads, damaged, end: lastEnd }
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
