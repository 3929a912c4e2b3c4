import { closeSync, openSync, rmSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { syncFolderSync } from '../files/atomicFile.ts'
import { checkDataFile } from './check.ts'

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
      const { transaction = 0 } = checkDataFile(dataFile, { maxPages: 0 })
      // A commit that was not acknowledged any more, or a file that was never whole.
      if (transaction === 0) rmSync(dataFile)
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

const exists = (path: string): boolean => statSync(path, { throwIfNoEntry: false }) !== undefined
