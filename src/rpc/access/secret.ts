import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { badFile, ExitError } from '../../base/exit.ts'
import { createFileSync } from '../../base/files/atomicFile.ts'

/** Throws an ExitError for a secret with which a start would be rejected. Makes none. */
export const assertSecretUsable = (home: string): void => {
  if (existsSync(join(home, 'jwt.hex'))) loadSecret(home)
}

/** Loads the 32-byte secret of `<home>/jwt.hex`, which is created on first use. Throws if others can read the file. */
export const loadSecret = (home: string): Uint8Array => {
  const path = join(home, 'jwt.hex')
  try {
    return readSecret(path)
  } catch (error) {
    throw error instanceof ExitError ? error : badFile(`${path} cannot be used: ${(error as Error).message}`)
  }
}

const readSecret = (path: string): Uint8Array => {
  // If two processes start at once, one creates the file and the other reads it.
  createFileSync(path, `${randomBytes(32).toString('hex')}\n`, 0o600)
  const found = statSync(path, { throwIfNoEntry: false })
  if (found === undefined) throw badFile(`${path} is a link to nothing: remove it to have a new one made`)
  // A pipe would be waited for, and a device may have no end.
  if (!found.isFile()) throw badFile(`${path} is not a regular file: remove it to have a new one made`)
  const { mode } = found
  if (process.platform !== 'win32' && (mode & 0o077) !== 0) {
    throw badFile(`${path} can be read by others: run chmod 600 on it, or remove it`)
  }
  const [, digits] = /^(?:0x)?([0-9a-fA-F]{64})\s*$/.exec(readFileSync(path, 'utf8')) ?? []
  if (digits === undefined) {
    throw badFile(`${path} must hold 64 hex digits: remove it to have a new one made`)
  }
  return new Uint8Array(Buffer.from(digits, 'hex'))
}
