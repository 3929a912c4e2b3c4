import { randomBytes } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { badFile } from '../../base/exit.ts'
import { createFileSync } from '../../base/files/atomicFile.ts'

/** Loads the 32-byte secret of `<home>/jwt.hex`, which is created on first use. Throws if others can read the file. */
export const loadSecret = (home: string): Uint8Array => {
  const path = join(home, 'jwt.hex')
  // If two processes start at once, one creates the file and the other reads it.
  createFileSync(path, `${randomBytes(32).toString('hex')}\n`, 0o600)
  const { mode } = statSync(path)
  if (process.platform !== 'win32' && (mode & 0o077) !== 0) {
    throw badFile(`${path} can be read by others: run chmod 600 on it, or remove it`)
  }
  const [, digits] = /^(?:0x)?([0-9a-fA-F]{64})\s*$/.exec(readFileSync(path, 'utf8')) ?? []
  if (digits === undefined) {
    throw badFile(`${path} must hold 64 hex digits: remove it to have a new one made`)
  }
  return new Uint8Array(Buffer.from(digits, 'hex'))
}
