import { constants } from 'node:fs'
import { open, realpath } from 'node:fs/promises'
import { join, relative, resolve, sep } from 'node:path'
import { errorCode } from './writeAll.ts'

/** The error for a file name of a caller that leaves its folder, by its text or by a link. */
export class ConfinementError extends Error {
  override readonly name = 'ConfinementError'
}

const isInside = (folder: string, path: string): boolean => {
  const inside = relative(folder, path)
  return (
    inside !== '' && inside !== '..' && !inside.startsWith(`..${sep}`) && resolve(folder, inside) === path
  )
}

/**
 * Reads a regular file whose name a caller chose, from `parent/name` and from nowhere else: neither the text of the name nor
 * a symbolic link can lead out of it. A link within the folder is fine, a folder that is itself a link is not.
 */
export const readConfinedFile = async (
  { parent, name, maxBytes }: { readonly parent: string; readonly name: string; readonly maxBytes: number },
  file: string,
): Promise<Buffer> => {
  const folder = join(parent, name)
  const path = resolve(folder, file)
  const outside = (): ConfinementError => new ConfinementError(`expected a file under ${folder}`)
  if (file.includes('\0') || !isInside(folder, path)) throw outside()
  const realFolder = join(await realpath(parent), name)
  const realPath = await realpath(path)
  if (!isInside(realFolder, realPath)) throw outside()
  const handle = await openWithoutLink(realPath, outside)
  try {
    const stats = await handle.stat()
    if (!stats.isFile()) throw new Error(`${path} is not a regular file`)
    if (stats.size > maxBytes) throw new Error(`${path} is larger than ${maxBytes} bytes`)
    return await handle.readFile()
  } finally {
    await handle.close()
  }
}

/** Opens a file that was not a link a moment ago. Non-blocking, so that a pipe instead of a file does not block. */
const openWithoutLink = async (path: string, outside: () => Error) => {
  try {
    return await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  } catch (error) {
    throw errorCode(error) === 'ELOOP' ? outside() : error
  }
}
