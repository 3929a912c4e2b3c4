import { ExitError, exitCodes } from '../../exit.ts'
import { checkDataFile } from './check.ts'

/** Thrown for a data file that must not be used; the message is one line that names the remedy. */
export class DamagedFileError extends ExitError {
  override readonly name = 'DamagedFileError'

  constructor(message: string) {
    super(exitCodes.badFile, message)
  }
}

/** Creates the error for damage; `remedy` is for damage that has a better one than another copy of the file. */
export const damagedFile = (
  path: string,
  problems: readonly string[],
  remedy = 'restore it from a backup, or remove it and import or sync the chain again',
): DamagedFileError => {
  const others = problems.length > 1 ? `, and ${problems.length - 1} more` : ''
  return new DamagedFileError(`${path} is damaged: ${problems[0]}${others}: ${remedy}`)
}

/** The pages that are checked before a file is mapped: 1 MB, which takes some 15 ms. */
export const checkedPages = 128

/**
 * Throws a `DamagedFileError` if a data file cannot be mapped safely: both meta pages, its size, and the trees of up to
 * `maxPages` pages are checked.
 */
export const assertSoundFile = (path: string, maxPages: number = checkedPages): void => {
  const { problems } = checkDataFile(path, { maxPages })
  if (problems.length > 0) throw damagedFile(path, problems)
}
