import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'

const prefix = 'traces-'

/** Returns the folder in which a process keeps long traces until they are sent. */
export const spoolFolderOf = (home: string, pid: number): string => join(home, 'tmp', `${prefix}${pid}`)

/** Removes what processes have left, those of an earlier run too. */
export const removeSpoolFolders = (home: string): void => {
  const folder = join(home, 'tmp')
  for (const name of namesIn(folder))
    if (name.startsWith(prefix)) rmSync(join(folder, name), { recursive: true, force: true })
}

export const removeSpoolFolder = (home: string, pid: number): void =>
  rmSync(spoolFolderOf(home, pid), { recursive: true, force: true })

const namesIn = (folder: string): readonly string[] => {
  try {
    return readdirSync(folder)
  } catch {
    return [] // there was none yet
  }
}
