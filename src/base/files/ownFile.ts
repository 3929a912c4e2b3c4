import { closeSync, constants, fstatSync, openSync, writeFileSync } from 'node:fs'
import { badFile } from '../exit.ts'
import { errorCode } from './writeAll.ts'

const { O_CREAT, O_RDWR, O_TRUNC, O_APPEND, O_WRONLY } = constants

/** A pipe is not waited for; Windows has neither flag. */
const safely = (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)

const ways = {
  /** To read and write, with what it holds. */
  update: O_RDWR | O_CREAT,
  /** To read and write, emptied. */
  replace: O_RDWR | O_CREAT | O_TRUNC,
  append: O_WRONLY | O_CREAT | O_APPEND,
} as const

/**
 * Opens a file of a home in place, and creates it if it is not there. A symbolic link is rejected, because it would lead what is
 * written to any file of this user; anything but a regular file is rejected too.
 */
export const openOwnFile = (path: string, way: keyof typeof ways): number => {
  let file: number
  try {
    file = openSync(path, ways[way] | safely, 0o600)
  } catch (error) {
    // FreeBSD says EMLINK; a pipe without a reader is ENXIO.
    if (['ELOOP', 'EMLINK'].includes(errorCode(error) ?? '')) throw badFile(linkRefusal(path))
    if (['EISDIR', 'ENXIO'].includes(errorCode(error) ?? '')) throw badFile(refusal(path))
    throw error
  }
  if (fstatSync(file).isFile()) return file
  closeSync(file)
  throw badFile(refusal(path))
}

/** Writes a file of a home in place. */
export const writeOwnFile = (path: string, content: string): void => {
  const file = openOwnFile(path, 'replace')
  try {
    writeFileSync(file, content)
  } finally {
    closeSync(file)
  }
}

export const linkRefusal = (path: string): string =>
  `${path} is a symbolic link, whose target would be overwritten: move it away`

const refusal = (path: string): string => `${path} is not a regular file: move it away`
