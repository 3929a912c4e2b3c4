import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'

const isProgram = (path: string): boolean => {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** Returns the program that `variable` of the environment names, or the one of that name on the path. */
export const findProgram = (name: string, variable?: string): string | undefined => {
  const folders = (process.env.PATH ?? '').split(delimiter).filter((folder) => folder !== '')
  const named = variable === undefined ? undefined : process.env[variable]
  return [named, ...folders.map((folder) => join(folder, name))].find(
    (path) => path !== undefined && isProgram(path),
  )
}

/** Returns geth, from `GETH` or on the path. */
export const findGeth = (): string | undefined => findProgram('geth', 'GETH')
