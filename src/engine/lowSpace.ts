import { ThreadError } from '../base/threads/threadRpc.ts'

/** Checks whether an error, also one of the application thread, is that of a commit for which there was no space. */
export const isLowSpaceError = (error: unknown): error is Error =>
  error instanceof Error && (error instanceof ThreadError ? error.thrownName : error.name) === 'LowSpaceError'
