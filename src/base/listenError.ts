import { ExitError, exitCodes } from './exit.ts'

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
