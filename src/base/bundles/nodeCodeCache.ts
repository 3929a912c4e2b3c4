import { lstatSync, mkdirSync } from 'node:fs'
import module from 'node:module'
import { homedir } from 'node:os'
import { join } from 'node:path'

/** Has Node keep the compiled code for the next start, where it can (from 22.1 on), in a folder that only this user writes. */
export const keepCodeByNode = (): void => {
  const { enableCompileCache } = module as { enableCompileCache?: (folder: string) => unknown }
  // Where the user named a folder, Node uses that from its start on.
  if (enableCompileCache === undefined || process.env.NODE_COMPILE_CACHE !== undefined) return
  const folder = ownFolder()
  if (folder !== undefined) enableCompileCache(folder)
}

/** Returns the folder for compiled code in the user's cache; undefined if it cannot be made or others could write there. */
const ownFolder = (): string | undefined => {
  const { XDG_CACHE_HOME, LOCALAPPDATA } = process.env
  try {
    const folder = join(XDG_CACHE_HOME ?? LOCALAPPDATA ?? join(homedir(), '.cache'), 'perihelion', 'code')
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    const { uid, mode } = lstatSync(folder)
    const self = process.geteuid?.()
    return self === undefined || (uid === self && (mode & 0o022) === 0) ? folder : undefined
  } catch {
    return undefined
  }
}
