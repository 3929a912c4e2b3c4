import {
  closeSync,
  fdatasync,
  fdatasyncSync,
  fstatSync,
  fsync,
  fsyncSync,
  ftruncateSync,
  mkdirSync,
  readFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import {
  createTemporarySync,
  removeLeftovers,
  replaceFileSync,
  syncFolder,
  syncFolderSync,
  type TemporaryFile,
} from '../base/files/atomicFile.ts'
import { openOwnFile } from '../base/files/ownFile.ts'
import { appendRecords, encodeRecords } from '../base/files/recordFile.ts'
import { forgetAll, readJournal, toMark } from './journalRecords.ts'

/**
 * The local transactions across restarts: one file of records, each the transaction in the
 * form in which it travels. A record is written before its transaction is acknowledged, so a killed process loses
 * none; it reaches the disk within a second, so a computer that loses power can lose the last second. That is the
 * promise of a pool: what counts is in blocks. A torn end is cut off, a damaged record in the middle is skipped.
 *
 * What is in a block needs no mark: its nonce is used. What must not come back otherwise has one, a record that begins
 * with a byte that no transaction begins with: alone it reverts all records before it, with a hash that one.
 */

const syncDelayMs = 1_000

/** The syncs of a new file on another thread, after which this one waits. */
const maxSyncs = 3
const syncFile = (file: number): Promise<void> => promisify(fsync)(file)

interface RecordFile {
  readonly file: number
  end: number
  records: number
}

/** A file that takes the place of the journal's once it is on the disk. */
type NextFile = TemporaryFile & RecordFile

/** Returns the folder of the journal of a node. */
export const journalFolder = (dataFolder: string): string => join(dataFolder, 'pool')

export class Journal {
  readonly #folder: string
  readonly #path: string
  #file: number
  #end: number
  #records: number
  #timer: NodeJS.Timeout | undefined
  /** The number of syncs that have begun. */
  #syncs = 0
  #syncFailure: unknown
  /** Whether the folder, which holds the name of the file, is synced. */
  #isNameSynced = true
  /** The file of a rewrite; what is appended meanwhile goes into both files. */
  #next: NextFile | undefined
  #isClosed = false

  /** The transactions that the file held when it was opened, in the order in which they were written. */
  readonly loaded: readonly Uint8Array[]
  readonly damaged: number
  /** The number of records of the file that were reverted, with the marks that did so. */
  readonly forgotten: number

  constructor(folder: string) {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    this.#folder = folder
    this.#path = join(folder, 'transactions.journal')
    removeLeftovers(this.#path)
    this.#file = openOwnFile(this.#path, 'update')
    const { payloads, forgotten, damaged, end } = readJournal(readFileSync(this.#file))
    this.loaded = payloads
    this.damaged = damaged
    this.forgotten = forgotten
    if (fstatSync(this.#file).size > end) ftruncateSync(this.#file, end)
    this.#end = end
    this.#records = payloads.length + forgotten + damaged
  }

  /**
   * Checks whether rewriting the file would make it much smaller, given the number of its transactions that
   * are still in the pool.
   */
  isMostlyStale(live: number): boolean {
    return (this.#next ?? { records: this.#records }).records > 1_024 + 2 * live
  }

  /**
   * Appends transactions, and after them the marks that take others back, in one write. Throws if the file cannot be
   * written; its content is then unchanged.
   */
  append(payloads: readonly Uint8Array[], forgotten: readonly Uint8Array[] = []): void {
    this.#appendRecords([...payloads, ...forgotten.map(toMark)])
  }

  #appendRecords(payloads: readonly Uint8Array[]): void {
    this.#assertOpen()
    if (this.#syncFailure !== undefined) throw this.#syncFailure
    this.#end = appendRecords(this.#file, this.#end, payloads)
    this.#records += payloads.length
    this.#timer ??= setTimeout(() => this.#sync(), syncDelayMs).unref()
    const next = this.#next
    if (next === undefined) return
    try {
      next.end = appendRecords(next.file, next.end, payloads)
      next.records += payloads.length
    } catch {
      // This file has them, and stays.
      this.#next = undefined
    }
  }

  /** Removes what was appended. Throws as `append` does. */
  forget(payloads: readonly Uint8Array[]): void {
    this.append([], payloads)
  }

  /**
   * Removes all but these, which need not have been appended. Throws as `append` or `rewriteSync` does. Those that stay are
   * written to a new file: behind a mark in the old one, a killed process or a power cut could lose them.
   */
  forgetAllBut(payloads: readonly Uint8Array[]): void {
    if (payloads.length > 0) this.rewriteSync(payloads)
    else if (this.#records > 0) this.#appendRecords([forgetAll])
  }

  /** Whether nothing can be appended before a rewrite: after a failed sync the content of the disk is unknown. */
  get needsRewrite(): boolean {
    return this.#syncFailure !== undefined
  }

  /**
   * Replaces the file atomically by one with only these transactions, and what is appended from now on. The disk is waited
   * for on another thread; until the new file is there the old one is valid, and has what is appended. Rejects if it stays,
   * or if the new one is in its place and its name may not be on the disk. A second call takes the place of the first,
   * which then resolves.
   */
  async rewrite(payloads: readonly Uint8Array[]): Promise<void> {
    this.#assertOpen()
    const bytes = encodeRecords(payloads)
    const created = createTemporarySync(this.#path, bytes, 0o600)
    const next: NextFile = { ...created, end: bytes.length, records: payloads.length }
    this.#next = next
    try {
      await this.#syncNext(next)
      if (this.#next === next) next.publish()
    } catch (error) {
      if (this.#next === next) this.#next = undefined
      next.discard()
      throw error
    }
    if (this.#next !== next) return next.discard()
    this.#moveTo(next)
    try {
      await syncFolder(this.#folder)
      if (this.#file === next.file) this.#isNameSynced = true
    } catch (error) {
      if (this.#file === next.file) this.#syncFailure = error
      throw error
    }
  }

  /**
   * The same at once, for what could not be appended: it is on the disk when this returns. Throws where `rewrite` rejects.
   * Takes the place of one that is under way.
   */
  rewriteSync(payloads: readonly Uint8Array[]): void {
    this.#assertOpen()
    this.#next = undefined
    const bytes = encodeRecords(payloads)
    const file = replaceFileSync(this.#path, bytes, 0o600)
    this.#moveTo({ file, end: bytes.length, records: payloads.length })
    try {
      syncFolderSync(this.#folder)
      this.#isNameSynced = true
    } catch (error) {
      this.#syncFailure = error
      throw error
    }
  }

  close(): void {
    this.#isClosed = true
    clearTimeout(this.#timer)
    // The rewrite is given up: what is in its file is in this one.
    this.#next = undefined
    fdatasyncSync(this.#file)
    closeSync(this.#file)
    if (!this.#isNameSynced) syncFolderSync(this.#folder)
  }

  #assertOpen(): void {
    if (this.#isClosed) throw new Error('the journal is closed')
  }

  /**
   * Syncs the file of a rewrite until it has on the disk what the old one has there. A row in neither has a sync ahead of
   * it, that of whichever file is the journal's then.
   */
  async #syncNext(next: NextFile): Promise<void> {
    let syncs: number | undefined
    for (let count = 0; syncs !== this.#syncs && this.#next === next; count++) {
      syncs = this.#syncs
      if (count < maxSyncs) await syncFile(next.file)
      else fsyncSync(next.file)
    }
  }

  /** Goes on with the file that is in the place of the old one. */
  #moveTo({ file, end, records }: RecordFile): void {
    const old = this.#file
    this.#file = file
    this.#end = end
    this.#records = records
    this.#next = undefined
    this.#syncFailure = undefined
    this.#isNameSynced = false
    closeSync(old)
  }

  #sync(): void {
    const file = this.#file
    this.#syncs++
    // What is appended from now on may not be part of this sync, and has one of its own.
    this.#timer = undefined
    fdatasync(file, (error) => {
      if (error && file === this.#file) this.#syncFailure = error
    })
  }
}
