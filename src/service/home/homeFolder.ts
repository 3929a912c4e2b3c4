import {
  accessSync,
  chmodSync,
  constants,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmdirSync,
  rmSync,
  statSync,
} from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { dirname, join, parse } from 'node:path'
import { badFile } from '../../base/exit.ts'
import { errorCode } from '../../base/files/writeAll.ts'

const hasModes = process.platform !== 'win32'
const secretFile = 'jwt.hex'
const openToOthers = 'it is open to others: name a folder of its own inside of it'

/** Creates the home if it is missing. It holds keys and tokens, so only its owner can read it. */
export const ensureHome = (home: string): void => {
  try {
    mkdirSync(home, { recursive: true, mode: 0o700 })
    if (hasModes) closeToOthers(realpathSync(home))
  } catch (error) {
    const reason = whyNotMade(home) ?? (error as Error).message
    throw badFile(`the home ${home} cannot be used: ${reason}`)
  }
}

/**
 * Removes a home in which there is nothing but the secret of tokens, which every start makes again. Never throws: why a start was
 * rejected is what must be told, and a home that cannot be made cannot be removed either.
 */
export const removeUnusedHome = (home: string): void => {
  // A link to a disk that is not mounted is the operator's.
  if (!existsSync(home)) return
  try {
    const names = readdirSync(home)
    if (!names.every((name) => name === secretFile)) return
    rmSync(join(home, secretFile), { force: true })
    rmdirSync(home)
  } catch {
    // It is left.
  }
}

/**
 * Returns what is in the way of making a folder: a file, or the nearest folder that there is, if it cannot be written; undefined
 * if it is there or nothing is. To make it and see says ENOENT on a disk that is read-only.
 */
export const whyNotMade = (path: string): string | undefined => {
  const nearest = findNearest(path)
  if (nearest === undefined) return `${parse(path).root} is not there`
  try {
    if (!statSync(nearest).isDirectory()) return `${nearest} is a file`
    if (nearest !== path) accessSync(nearest, constants.W_OK | constants.X_OK)
    return undefined
  } catch (error) {
    if (errorCode(error) === 'EROFS') return `${nearest} is on a disk that is read-only`
    if (errorCode(error) === 'EACCES') return `this user may not write ${nearest}`
    return (error as Error).message
  }
}

/** Returns the path, or the nearest folder above it that there is; undefined if there is none, as on a drive that is not there. */
export const findNearest = (path: string, exists = existsSync, parentOf = dirname): string | undefined => {
  for (let at = path; ; at = parentOf(at)) {
    if (exists(at)) return at
    if (parentOf(at) === at) return undefined
  }
}

/** Closes a folder that existed before to others, as one that is made here is. */
const closeToOthers = (home: string): void => {
  if (isSharedFolder(home)) throw new Error(openToOthers)
  const { mode, uid } = statSync(home)
  const self = process.geteuid?.()
  // A volume that an orchestrator mounts: its mode is not ours to change, and every secret in it has its own.
  if ((mode & 0o077) === 0 || (self !== 0 && uid !== self)) return
  try {
    chmodSync(home, 0o700)
  } catch (error) {
    // A file system without modes, or one whose modes are not ours to change.
    if (!['EPERM', 'ENOTSUP', 'EROFS'].includes(errorCode(error) ?? '')) throw error
  }
}

/** Whether a folder is one that many use, so that it can be nobody's home. */
const isSharedFolder = (home: string): boolean => {
  const { mode, uid } = statSync(home)
  if ((mode & 0o077) === 0) return false
  const self = process.geteuid?.()
  const isOurs = self === 0 || uid === self
  return (mode & 0o1000) !== 0 || (isOurs && [homedir(), '/'].includes(home))
}

/** Throws an ExitError for a folder that a start would not take as its home. Changes nothing. */
export const assertHomeUsable = (home: string): void => {
  const reason =
    whyNotMade(home) ??
    (hasModes && existsSync(home) && isSharedFolder(realpathSync(home)) ? openToOthers : undefined)
  if (reason !== undefined) throw badFile(`the home ${home} cannot be used: ${reason}`)
}

/** Removes temporary files. */
export type Cleanup = () => void

const temporaryFolders = new Set<string>()

/** Creates a temporary folder, which `remove` deletes. */
export const makeTemporaryFolder = (): { readonly path: string; readonly remove: Cleanup } => {
  const path = mkdtempSync(join(tmpdir(), 'perihelion-'))
  temporaryFolders.add(path)
  return {
    path,
    remove: () => {
      rmSync(path, { recursive: true, force: true })
      temporaryFolders.delete(path)
    },
  }
}

/** Removes the temporary folders that are left, for a process that ends at once. */
export const removeTemporaryFolders = (): void => {
  for (const path of temporaryFolders) rmSync(path, { recursive: true, force: true })
}
