import {
  chmodSync,
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  type Stats,
} from 'node:fs'
import { basename, join } from 'node:path'
import { writeFileAtomically } from '../base/files/atomicFile.ts'
import { errorCode } from '../base/files/writeAll.ts'
import { refused } from './keystoreError.ts'

/** Files and folders that only their owner may read. Errors contain no path, because clients see them. */

const hasModes = process.platform !== 'win32'

const checkOwner = (path: string, { mode, uid }: Stats, wanted: string): void => {
  if (!hasModes) return
  if ((mode & 0o077) !== 0) throw refused(`${basename(path)} is open to others: run chmod ${wanted} on it`)
  const self = process.geteuid?.()
  if (self !== 0 && uid !== self) throw refused(`${basename(path)} belongs to another user`)
}

/** Returns whether the folder exists; throws if others can enter it or if it is a link. */
export const checkFolder = (folder: string): Stats | undefined => {
  let stats: Stats
  try {
    stats = lstatSync(folder)
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined
    throw refused(`${basename(folder)} cannot be read: ${errorCode(error)}`)
  }
  if (!stats.isDirectory()) throw refused(`${basename(folder)} is not a folder`)
  checkOwner(folder, stats, '700')
  return stats
}

export const ensureFolder = (folder: string): void => {
  if (checkFolder(folder) !== undefined) return
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  // The umask may have removed permissions of the owner too.
  chmodSync(folder, 0o700)
}

/** Reads a regular file of this user; links are not followed. */
export const readPrivateFile = (path: string, maxBytes: number): string => {
  let file: number
  try {
    // Non-blocking, so that opening a pipe instead of a file does not block.
    file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  } catch (error) {
    if (errorCode(error) === 'ELOOP') throw refused(`${basename(path)} is a symbolic link`)
    throw refused(`${basename(path)} cannot be read: ${errorCode(error)}`)
  }
  try {
    const stats = fstatSync(file)
    if (!stats.isFile()) throw refused(`${basename(path)} is not a regular file`)
    checkOwner(path, stats, '600')
    if (stats.size > maxBytes) throw refused(`${basename(path)} is larger than ${maxBytes} bytes`)
    return readFileSync(file, 'utf8')
  } finally {
    closeSync(file)
  }
}

/** Writes a file atomically, replacing an older one. */
export const writePrivateFile = async (folder: string, name: string, text: string): Promise<void> => {
  ensureFolder(folder)
  await writeFileAtomically(join(folder, name), [text], 0o600)
}
