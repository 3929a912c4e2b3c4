import { writeSync } from 'node:fs'

/** The system's name for what went wrong, such as ENOENT; undefined for errors of another kind. */
export const errorCode = (error: unknown): string | undefined => (error as NodeJS.ErrnoException).code

/** Writes all of it, at the position or else where the file stands: one write may take less than it was given. */
export const writeAll = (file: number, bytes: Uint8Array, position?: number): void => {
  for (let at = 0; at < bytes.length; )
    at += writeSync(file, bytes, at, bytes.length - at, position === undefined ? undefined : position + at)
}
