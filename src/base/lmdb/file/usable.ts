import { lstatSync, statSync } from 'node:fs'
import { ExitError, exitCodes } from '../../exit.ts'
import { linkRefusal } from '../../files/ownFile.ts'

/** Thrown for a data file that is not one, or that cannot be opened; nothing is known of what it holds. */
export class UnusableFileError extends ExitError {
  override readonly name = 'UnusableFileError'

  constructor(message: string) {
    super(exitCodes.badFile, message)
  }
}

/**
 * Throws if something else than a file stands where LMDB has its files: it ends the process for a folder as its lock, and
 * overwrites the target of a link. Only the data file, which is checked before it is written, may be one: to another disk.
 */
export const assertRegularFiles = (dataFile: string): void => {
  const besides = [`${dataFile}-lock`, `${dataFile}.new`]
  for (const path of besides)
    if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink())
      throw new UnusableFileError(linkRefusal(path))
  for (const path of [dataFile, ...besides])
    if (statSync(path, { throwIfNoEntry: false })?.isFile() === false)
      throw new UnusableFileError(`${path} is not a regular file: move it away`)
}
