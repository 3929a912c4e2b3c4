import { ThreadError } from '../base/threads/threadRpc.ts'

const isNamed = (error: unknown, name: string): error is Error =>
  error instanceof Error && (error instanceof ThreadError ? error.thrownName : error.name) === name

/** Checks whether an error, also one of the application thread, is that of a commit for which there was no space. */
export const isLowSpaceError = (error: unknown): error is Error => isNamed(error, 'LowSpaceError')

/** Checks whether an error is that of a commit that failed: nobody knows what of it is on the disk. */
export const isFailedCommit = (error: unknown): error is Error => isNamed(error, 'PoisonedError')

/** Checks whether a commit failed for want of room, by the words of the C library for ENOSPC and EDQUOT: LMDB passes no more on. */
export const isOutOfSpace = (reason: string): boolean =>
  /No space left on device|Disk quota exceeded|Quota exceeded/.test(reason)

/** Checks whether an error, also one of the application thread, is that of a block whose rules this version does not have. */
export const isUnknownForkError = (error: unknown): error is Error => isNamed(error, 'UnknownForkError')
