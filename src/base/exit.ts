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

/** Gives the reason why an address cannot be listened on in words for an operator; other errors stay as they are. */
export const explainListenError = (error: NodeJS.ErrnoException, address: string): Error => {
  switch (error.code) {
    case 'EADDRINUSE':
      return new ExitError(exitCodes.addressTaken, `the address ${address} is taken by another process`)
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return new ExitError(exitCodes.addressTaken, `the address ${address} is not one of this machine`)
    case 'EACCES':
      return new ExitError(exitCodes.addressTaken, `no permission to listen on ${address}`)
    default:
      return error
  }
}
