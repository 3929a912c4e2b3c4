import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, statSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { badFile } from '../base/exit.ts'
import { errorCode } from '../base/files/writeAll.ts'

const hasModes = process.platform !== 'win32'

/** Creates the home if it is missing. It holds keys and tokens, so only its owner can read it. */
export const ensureHome = (home: string): void => {
  try {
    mkdirSync(home, { recursive: true, mode: 0o700 })
    if (hasModes) closeToOthers(realpathSync(home))
  } catch (error) {
    throw badFile(`the home ${home} cannot be used: ${(error as Error).message}`)
  }
}

/** Closes a folder that existed before to others, as one that is made here is. */
const closeToOthers = (home: string): void => {
  const { mode, uid } = statSync(home)
  if ((mode & 0o077) === 0) return
  const self = process.geteuid?.()
  if (self !== 0 && uid !== self) {
    // A volume that an orchestrator mounts: its mode is not ours to change, and every secret in it has its own.
    if ((mode & 0o1000) === 0) return
    throw new Error('it is open to others: name a folder of its own inside of it')
  }
  const isShared = (mode & 0o1000) !== 0 || [homedir(), '/'].includes(home)
  if (isShared) throw new Error('it is open to others: name a folder of its own inside of it')
  try {
    chmodSync(home, 0o700)
  } catch (error) {
    // A file system without modes, or one whose modes are not ours to change.
    if (!['EPERM', 'ENOTSUP', 'EROFS'].includes(errorCode(error) ?? '')) throw error
  }
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
