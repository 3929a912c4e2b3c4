import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { badFile } from '../base/exit.ts'

/** Makes the home where it is missing. Keys and tokens live in it: nobody else has a look. */
export const ensureHome = (home: string): void => {
  try {
    mkdirSync(home, { recursive: true, mode: 0o700 })
  } catch (error) {
    throw badFile(`the home ${home} cannot be made: ${(error as Error).message}`)
  }
}

/** Removes what was made for a while. */
export type Cleanup = () => void

/** Makes a folder that is gone when `remove` was called. */
export const makeTemporaryFolder = (): { readonly path: string; readonly remove: Cleanup } => {
  const path = mkdtempSync(join(tmpdir(), 'perihelion-'))
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) }
}
