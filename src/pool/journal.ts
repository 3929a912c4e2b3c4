import {
  closeSync,
  fdatasync,
  fdatasyncSync,
  fstatSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import { replaceFileSync, syncFolderSync } from '../base/atomicFile.ts'
import { writeAll } from '../base/files.ts'

/**
 * The node's own transactions across restarts: one file of records, each a length, a CRC-32 and the transaction in the
 * form in which it travels. A record is written before its transaction is acknowledged, so a killed process loses
 * none; it reaches the disk within a second, so a machine that loses power can lose the last second. That is the
 * promise of a pool: what counts is in blocks. A torn end is cut off, a damaged record in the middle is skipped.
 */

const headerBytes = 8
/** More than any transaction with its blobs; a greater length is damage. */
const maxRecordBytes = 2 * 1024 * 1024
const syncDelayMs = 1_000

const encodeRecord = (payload: Uint8Array): Uint8Array => {
  const record = Buffer.allocUnsafe(headerBytes + payload.length)
  record.writeUInt32LE(payload.length, 0)
  record.writeUInt32LE(crc32(payload), 4)
  record.set(payload, headerBytes)
  return record
}

interface Scan {
  readonly payloads: readonly Uint8Array[]
  /** Records whose checksum is wrong, and the torn end where there is one. */
  readonly damaged: number
  /** Where the last whole record ends. */
  readonly end: number
}

const scan = (file: Buffer): Scan => {
  const payloads: Uint8Array[] = []
  let damaged = 0
  let at = 0
  while (at < file.length) {
    const length = at + headerBytes <= file.length ? file.readUInt32LE(at) : Number.POSITIVE_INFINITY
    const end = at + headerBytes + length
    if (length === 0 || length > maxRecordBytes || end > file.length)
      return { payloads, damaged: damaged + 1, end: at }
    const payload = file.subarray(at + headerBytes, end)
    if (crc32(payload) === file.readUInt32LE(at + 4)) payloads.push(new Uint8Array(payload))
    else damaged++
    at = end
  }
  return { payloads, damaged, end: at }
}

const concatRecords = (payloads: Iterable<Uint8Array>): Buffer =>
  Buffer.concat([...payloads].map(encodeRecord))

export class Journal {
  readonly #folder: string
  readonly #path: string
  #file: number
  #end: number
  #records: number
  #timer: NodeJS.Timeout | undefined
  #syncFailure: Error | undefined

  /** What the file held when it was opened, in the order in which it was written. */
  readonly loaded: readonly Uint8Array[]
  readonly damaged: number

  constructor(folder: string) {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    this.#folder = folder
    this.#path = join(folder, 'transactions.journal')
    // 'a+' makes the file where there is none; positions need another mode.
    closeSync(openSync(this.#path, 'a+', 0o600))
    const { payloads, damaged, end } = scan(readFileSync(this.#path))
    this.loaded = payloads
    this.damaged = damaged
    this.#file = openSync(this.#path, 'r+')
    if (fstatSync(this.#file).size > end) ftruncateSync(this.#file, end)
    this.#end = end
    this.#records = payloads.length + damaged
  }

  /** Whether rewriting the file would make it much smaller, given how many of its transactions are still wanted. */
  isMostlyStale(live: number): boolean {
    return this.#records > 1_024 + 2 * live
  }

  /** Throws when the file cannot be written; it then holds what it held before. */
  append(payloads: readonly Uint8Array[]): void {
    if (this.#syncFailure) throw this.#syncFailure
    const bytes = concatRecords(payloads)
    try {
      writeAll(this.#file, bytes, this.#end)
    } catch (error) {
      // Half a record would hide all that come after it.
      ftruncateSync(this.#file, this.#end)
      throw error
    }
    this.#end += bytes.length
    this.#records += payloads.length
    this.#timer ??= setTimeout(() => this.#sync(), syncDelayMs).unref()
  }

  /** Replaces the file by one with these transactions alone: whole or not at all. */
  rewrite(payloads: readonly Uint8Array[]): void {
    const bytes = concatRecords(payloads)
    const file = replaceFileSync(this.#path, bytes, 0o600)
    closeSync(this.#file)
    this.#file = file
    this.#end = bytes.length
    this.#records = payloads.length
    this.#syncFailure = undefined
    syncFolderSync(this.#folder)
  }

  close(): void {
    clearTimeout(this.#timer)
    fdatasyncSync(this.#file)
    closeSync(this.#file)
  }

  /** After a failed sync nobody knows what the disk holds: nothing is appended until the file is written anew. */
  #sync(): void {
    const file = this.#file
    fdatasync(file, (error) => {
      this.#timer = undefined
      if (error && file === this.#file) this.#syncFailure = error
    })
  }
}
