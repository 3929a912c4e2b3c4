import { exitCodes } from '../../base/exit.ts'
import { errorCode } from '../../base/files/writeAll.ts'
import { printError } from './print.ts'

/**
 * Keeps errors of the standard output and error from the process: a reader that has gone (`perihelion --help | head -1`)
 * is not a failure. A disk that takes no more is reported, and the command ends with the code for it.
 */
export const handleOutputErrors = (): void => {
  let isTold = false
  const handle = (name: string) => (error: Error) => {
    if (errorCode(error) === 'EPIPE' || isTold) return
    isTold = true
    process.exitCode = exitCodes.badFile
    printError`perihelion: the standard ${name} cannot be written: ${error.message}\n`
  }
  process.stdout.on('error', handle('output'))
  process.stderr.on('error', handle('error'))
}

/**
 * Returns the text of a wrong command line without what was given: an argument or the value of an option may be a secret
 * in the wrong place.
 */
export const hideArguments = (text: string): string =>
  text
    .replace(/unknown option '(--?[^'=]*)=.*'/s, "unknown option '$1'")
    .replace(/unknown command '(?![a-z][a-z-]{0,20}')[^\n]*'/, 'unknown command')
