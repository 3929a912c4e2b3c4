/** Exit codes in the manner of sysexits.h, so that a supervisor can tell "fix the config" from "try again". */
export const exitCodes = {
  usage: 64,
  addressTaken: 69,
  noUpstream: 69,
  internal: 70,
  badFile: 74,
  homeInUse: 75,
  badConfig: 78,
} as const

/** A reason to end the process that an operator can act on: one line, no stack. */
export class ExitError extends Error {
  readonly exitCode: number

  constructor(exitCode: (typeof exitCodes)[keyof typeof exitCodes], message: string) {
    super(message)
    this.name = 'ExitError'
    this.exitCode = exitCode
  }
}

/** The command line asks for what cannot be. */
export const badUsage = (message: string): ExitError => new ExitError(exitCodes.usage, message)

export const addressTaken = (message: string): ExitError => new ExitError(exitCodes.addressTaken, message)

/** Something within went wrong that no setting mends. */
export const internalFailure = (message: string): ExitError => new ExitError(exitCodes.internal, message)

/** A file or folder cannot be read, written or used. */
export const badFile = (message: string): ExitError => new ExitError(exitCodes.badFile, message)

export const homeInUse = (message: string): ExitError => new ExitError(exitCodes.homeInUse, message)

/** A setting, or what it refers to, must be changed. */
export const badConfig = (message: string): ExitError => new ExitError(exitCodes.badConfig, message)

/** Gives the reason why an address cannot be listened on in words for an operator; other errors stay as they are. */
export const explainListenError = (error: NodeJS.ErrnoException, address: string): Error => {
  switch (error.code) {
    case 'EADDRINUSE':
      return addressTaken(`the address ${address} is taken by another process`)
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return addressTaken(`the address ${address} is not one of this machine`)
    case 'EACCES':
      return addressTaken(`no permission to listen on ${address}`)
    default:
      return error
  }
}
