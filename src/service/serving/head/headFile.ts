import { closeSync, openSync, readSync, rmSync, writeSync } from 'node:fs'
import { openOwnFile } from '../../../base/files/ownFile.ts'

/** What the main process tells the serving processes about its head. */
export interface PublishedHead {
  /** A number that is another one whenever anything about the head is. */
  readonly version: number
  readonly number: number
  /** The number of times that another chain was begun in the data file. */
  readonly epoch: number
  /** The number of times that blocks were removed, or may have been. */
  readonly reverts: number
  /** Whether blocks are being removed, so that only the main process may answer. */
  readonly isChanging: boolean
  /** Whether the chain is forked from a remote one, which only the main process asks. */
  readonly isForked: boolean
}

/** Version, number (two words), epoch, reverts, flags, and a check of these. */
const words = 7
const bytes = words * 4

const checkOf = (record: Uint32Array): number => {
  let check = 0x9e3779b9
  for (let at = 0; at < words - 1; at++)
    check = (Math.imul(check ^ (record[at] as number), 0x01000193) + 1) >>> 0
  return check
}

/**
 * The head that everybody shows, in a file of one record. To write it is the one moment in which a head becomes visible, in
 * all processes at once: the page of the file is their common memory. It is never synced and means nothing after the end of
 * the process.
 */
export class HeadPublisher {
  readonly #path: string
  readonly #file: number
  readonly #record = new Uint32Array(words)

  constructor(path: string) {
    this.#path = path
    this.#file = openOwnFile(path, 'replace')
  }

  /** Throws if the head cannot be written: who reads the file then, reads an old head or none. */
  publish({ number, epoch, reverts, isChanging, isForked }: Omit<PublishedHead, 'version'>): void {
    const record = this.#record
    record[0] = (record[0] as number) + 1
    record[1] = number
    record[2] = Math.floor(number / 2 ** 32)
    record[3] = epoch
    record[4] = reverts
    record[5] = (isChanging ? 1 : 0) | (isForked ? 2 : 0)
    record[6] = checkOf(record)
    if (writeSync(this.#file, record, 0, bytes, 0) !== bytes)
      throw new Error('the head was not written whole')
  }

  close(): void {
    closeSync(this.#file)
    rmSync(this.#path, { force: true })
  }
}

/** How often a record is read that is just being written. The writer needs no more than a moment. */
const maxReads = 10_000

/** Reads the published head, for every call: that takes a microsecond or two. */
export class PublishedHeadReader {
  readonly #file: number
  readonly #record = new Uint32Array(words)
  #version = -1
  #check = 0

  constructor(path: string) {
    this.#file = openSync(path, 'r')
  }

  /** Returns the head if it is another one than the last one that was returned here. Throws if it cannot be read. */
  next(): PublishedHead | undefined {
    const record = this.#record
    for (let reads = 0; reads < maxReads; reads++) {
      readSync(this.#file, record, 0, bytes, 0)
      // Most often it is the same one, and is not checked again.
      if (record[0] === this.#version && record[6] === this.#check) return undefined
      if (record[6] === checkOf(record)) return this.#take(record)
    }
    throw new Error('the published head cannot be read')
  }

  /** Forgets what was returned last, so that it is returned again. */
  forget(): void {
    this.#version = -1
  }

  close(): void {
    closeSync(this.#file)
  }

  #take([
    version = 0,
    low = 0,
    high = 0,
    epoch = 0,
    reverts = 0,
    flags = 0,
    check = 0,
  ]: Uint32Array): PublishedHead {
    this.#version = version
    this.#check = check
    const number = high * 2 ** 32 + low
    return { version, number, epoch, reverts, isChanging: (flags & 1) !== 0, isForked: (flags & 2) !== 0 }
  }
}
