import { mkdirSync } from 'node:fs'
import { badFile } from '../base/exit.ts'

/** Makes the home where it is missing. Keys and tokens live in it: nobody else has a look. */
export const ensureHome = (home: string): void => {
  try {
    mkdirSync(home, { recursive: true, mode: 0o700 })
  } catch (error) {
    throw badFile(`the home ${home} cannot be made: ${(error as Error).message}`)
  }
}
