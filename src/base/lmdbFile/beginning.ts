import { closeSync, openSync, rmSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { syncFolderSync } from '../files/atomicFile.ts'
import { checkDataFile } from './check.ts'
import { DataFile } from './file.ts'
import { metaPages, newFilePageBytes } from './format.ts'

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
      closeSync(openSync(path, 'w', 0o600))
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
 * Returns whether nothing can have been committed to a file: its meta pages say so, were never written, or are all that
 * there is. A file of which they are damaged may hold a chain, whatever a mark beside it says.
 */
const wasNeverWritten = (path: string): boolean => {
  const { transaction } = checkDataFile(path, { maxPages: 0 })
  if (transaction !== undefined) return transaction === 0
  const file = new DataFile(path)
  try {
    const start = Buffer.alloc(emptyFileBytes)
    return file.size <= emptyFileBytes || (file.read(start, 0) && start.every((byte) => byte === 0))
  } finally {
    file.close()
  }
}

const exists = (path: string): boolean => statSync(path, { throwIfNoEntry: false }) !== undefined
