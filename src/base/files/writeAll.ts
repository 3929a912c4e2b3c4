import { writeSync } from 'node:fs'

/** Returns the system's code of an error, such as ENOENT; undefined for other errors. */
export const errorCode = (error: unknown): string | undefined => (error as NodeJS.ErrnoException).code

/** Writes all bytes at `position`, or at the current position of the file. One system call may write fewer. */
export const writeAll = (file: number, bytes: Uint8Array, position?: number): void => {
  for (let at = 0; at < bytes.length; )
    at += writeSync(file, bytes, at, bytes.length - at, position === undefined ? undefined : position + at)
}
