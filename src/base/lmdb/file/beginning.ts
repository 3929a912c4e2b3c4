import { closeSync, rmSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { syncFolderSync } from '../../files/atomicFile.ts'
import { openOwnFile } from '../../files/ownFile.ts'
import { checkDataFile } from './check.ts'
import { DataFile } from './file.ts'
import { findMetaProblem, metaBytes, metaPages, newFilePageBytes, readMeta } from './format.ts'

/**
 * A file beside a new data file that says that nothing was committed to it yet. A process that is killed at its very
 * first commit may leave an empty data file, which is begun again; an empty data file without the mark has lost a chain.
 */
export class BeginningMark {
  readonly #path: string

  private constructor(path: string) {
    this.#path = path
  }

  /** Returns the mark of a data file that is to be begun; undefined if something was committed to it. */
  static find(dataFile: string): BeginningMark | undefined {
    const path = `${dataFile}.new`
    const isMarked = exists(path)
    if (exists(dataFile)) {
      if (!isMarked) return undefined
      if (wasNeverWritten(dataFile)) rmSync(dataFile)
    }
    if (!isMarked) {
      closeSync(openOwnFile(path, 'replace'))
      syncFolderSync(dirname(path))
    }
    return new BeginningMark(path)
  }

  /** Removes the mark after the first commit, before anything is acknowledged. */
  remove(): void {
    rmSync(this.#path, { force: true })
    syncFolderSync(dirname(this.#path))
  }
}

/** The bytes of a file in which nothing was committed: two meta pages. */
const emptyFileBytes = metaPages * newFilePageBytes

/**
 * Returns whether nothing can have been committed to a file: its meta pages say so, are all that there is, or did not reach
 * the disk. Both are written before the first commit and synced with it, so that a power cut may leave either without the
 * other. A file whose meta pages are damaged may hold a chain, whatever a mark beside it says.
 */
const wasNeverWritten = (path: string): boolean => {
  const { transaction } = checkDataFile(path, { maxPages: 0 })
  if (transaction !== undefined) return transaction === 0
  const file = new DataFile(path)
  try {
    return file.size <= emptyFileBytes || [0, 1].every((index) => isPageOfNewFile(file, index))
  } finally {
    file.close()
  }
}

/** Returns whether a meta page was never on the disk, or is of no transaction. */
const isPageOfNewFile = (file: DataFile, index: number): boolean => {
  const bytes = Buffer.alloc(metaBytes)
  if (!file.read(bytes, index * newFilePageBytes)) return false
  if (bytes.every((byte) => byte === 0)) return true
  const meta = readMeta(bytes, 0, index)
  return findMetaProblem(bytes, 0, meta) === undefined && meta.transaction === 0
}

const exists = (path: string): boolean => statSync(path, { throwIfNoEntry: false }) !== undefined
