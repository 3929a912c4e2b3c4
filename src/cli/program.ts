import { Command } from 'commander'
import { version } from '../base/version.ts'

/** Returns the program without its commands; `outputError` gets what is wrong with a command line. */
export const createProgram = (outputError: (text: string) => void): Command =>
  new Command('perihelion')
    .description('An Ethereum JSON-RPC node service for chains that run on CometBFT')
    .version(version)
    // Commands inherit both: a wrong command line is rejected as everything else is.
    .exitOverride()
    .configureOutput({ outputError })
