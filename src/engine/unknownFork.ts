import { ThreadError } from '../base/threads/threadRpc.ts'

/** Checks whether an error, also one of the application thread, is that of a block whose rules this version does not have. */
export const isUnknownForkError = (error: unknown): error is Error =>
  error instanceof Error &&
  (error instanceof ThreadError ? error.thrownName : error.name) === 'UnknownForkError'
