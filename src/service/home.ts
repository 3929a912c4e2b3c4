import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { badFile } from '../base/exit.ts'

/** Creates the home if it is missing. It holds keys and tokens, so only its owner can read it. */
export const ensureHome = (home: string): void => {
  try {
    mkdirSync(home, { recursive: true, mode: 0o700 })
  } catch (error) {
    throw badFile(`the home ${home} cannot be made: ${(error as Error).message}`)
  }
}

/** Removes temporary files. */
export type Cleanup = () => void

/** Creates a temporary folder, which `remove` deletes. */
export const makeTemporaryFolder = (): { readonly path: string; readonly remove: Cleanup } => {
  const path = mkdtempSync(join(tmpdir(), 'perihelion-'))
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) }
}
