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
