import { statSync } from 'node:fs'
import { ExitError, exitCodes } from '../../exit.ts'

/** Thrown for a data file that is not one, or that cannot be opened; nothing is known of what it holds. */
export class UnusableFileError extends ExitError {
  override readonly name = 'UnusableFileError'

  constructor(message: string) {
    super(exitCodes.badFile, message)
  }
}

/** Throws if something else than a file stands where LMDB has its files: it ends the process for a folder as its lock. */
export const assertRegularFiles = (dataFile: string): void => {
  for (const path of [dataFile, `${dataFile}-lock`, `${dataFile}.new`])
    if (statSync(path, { throwIfNoEntry: false })?.isFile() === false)
      throw new UnusableFileError(`${path} is not a regular file: move it away`)
}
