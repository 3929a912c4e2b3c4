/** The exit codes, as in sysexits.h, so that a supervisor can distinguish "fix the config" from "try again". */
export const exitCodes = {
  usage: 64,
  addressTaken: 69,
  noUpstream: 69,
  noSigner: 69,
  internal: 70,
  badFile: 74,
  homeInUse: 75,
  diverged: 76,
  badConfig: 78,
} as const

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes]

/** The codes after which a supervisor should not start the program again: only an operator can fix what they stand for. */
export const lastingExitCodes: readonly ExitCode[] = [
  exitCodes.usage,
  exitCodes.badFile,
  exitCodes.diverged,
  exitCodes.badConfig,
]

/** An error that ends the process and that the operator can act on. It is shown as one line without a stack. */
export class ExitError extends Error {
  override readonly name: string = 'ExitError'
  readonly exitCode: number

  constructor(exitCode: ExitCode, message: string) {
    super(message)
    this.exitCode = exitCode
  }
}

/** Creates the error for an invalid command line. */
export const badUsage = (message: string): ExitError => new ExitError(exitCodes.usage, message)

export const addressTaken = (message: string): ExitError => new ExitError(exitCodes.addressTaken, message)

/** Creates the error for a remote signer that is not there, or not yet. */
export const noSigner = (message: string): ExitError => new ExitError(exitCodes.noSigner, message)

/** Creates the error for an internal failure that no setting can resolve. */
export const internalFailure = (message: string): ExitError => new ExitError(exitCodes.internal, message)

/** Creates the error for a process of ours that ended: with its exit code where that says what to do. */
export const failedProcess = (code: number | null, message: string): ExitError =>
  new ExitError(Object.values(exitCodes).find((known) => known === code) ?? exitCodes.internal, message)

/** Creates the error for a file or folder that cannot be read, written or used. */
export const badFile = (message: string): ExitError => new ExitError(exitCodes.badFile, message)

export const homeInUse = (message: string): ExitError => new ExitError(exitCodes.homeInUse, message)

/** Creates the error for a node whose chain differs from that of the others: a restart would end in the same way. */
export const diverged = (message: string): ExitError => new ExitError(exitCodes.diverged, message)

/** Creates the error for a setting that must be changed, or what it refers to. */
export const badConfig = (message: string): ExitError => new ExitError(exitCodes.badConfig, message)

/**
 * Returns the error of a failed listen with a message for the operator, who may choose another address with `setting`; other
 * errors are returned unchanged.
 */
export const explainListenError = (
  error: NodeJS.ErrnoException,
  address: string,
  setting?: string,
): Error => {
  const remedy = setting === undefined ? '' : `: choose another with --${setting}`
  switch (error.code) {
    case 'EADDRINUSE':
      return addressTaken(`the address ${address} is taken by another process${remedy}`)
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return addressTaken(`the address ${address} is not one of this machine${remedy}`)
    case 'EACCES':
      return addressTaken(`no permission to listen on ${address}`)
    default:
      return error
  }
}
