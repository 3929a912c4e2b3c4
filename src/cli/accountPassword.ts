import { closeSync, fstatSync, openSync, readFileSync } from 'node:fs'
import { ExitError, exitCodes } from '../base/exit.ts'

/** Passwords come from a file or from a person, never from arguments: every user of the machine can read those. */

/** More than any secret here has. */
const maxSecretBytes = 65_536

/**
 * The text of a file with a secret. One that others can read is refused; a pipe is nobody else's. Errors say what the
 * file is for and not its path: somebody may have given the secret itself.
 */
export const readSecretFile = (path: string, what: string): string => {
  let file: number
  try {
    file = openSync(path, 'r')
  } catch (error) {
    throw new ExitError(exitCodes.badFile, `${what} cannot be read: ${(error as NodeJS.ErrnoException).code}`)
  }
  try {
    const stats = fstatSync(file)
    if (stats.isDirectory()) throw new ExitError(exitCodes.badFile, `${what} is a folder`)
    if (stats.isFile() && process.platform !== 'win32' && (stats.mode & 0o077) !== 0)
      throw new ExitError(exitCodes.badFile, `${what} can be read by others: run chmod 600 on it`)
    const text = readFileSync(file, 'utf8')
    if (text.length > maxSecretBytes) throw new ExitError(exitCodes.badFile, `${what} is too large`)
    return text
  } finally {
    closeSync(file)
  }
}

/** The first line, as geth has it. */
const readPasswordFile = (path: string): string =>
  readSecretFile(path, 'the password file').split(/\r?\n/, 1)[0] as string // there is always a first

const controlC = '\u0003'
const controlD = '\u0004'
const isDelete = (key: string): boolean => key === '\b' || key === '\u007f'
const isEnter = (key: string): boolean => key === '\r' || key === '\n'

/** What is typed does not appear. */
const ask = (question: string): Promise<string> =>
  new Promise((resolve, reject) => {
    const { stdin, stderr } = process
    stderr.write(question)
    const typed: string[] = []
    const finish = (end: () => void): void => {
      stdin.off('data', receive)
      stdin.setRawMode(false)
      stdin.pause()
      stderr.write('\n')
      end()
    }
    const receive = (chunk: string): void => {
      for (const key of chunk) {
        if (key === controlC || key === controlD)
          return finish(() => reject(new ExitError(exitCodes.usage, 'no password was given')))
        if (isEnter(key)) return finish(() => resolve(typed.join('')))
        if (isDelete(key)) typed.pop()
        else typed.push(key)
      }
    }
    stdin.setEncoding('utf8')
    stdin.setRawMode(true)
    stdin.on('data', receive)
    stdin.resume()
  })

const askPerson = (question: string): Promise<string> => {
  if (process.stdin.isTTY) return ask(question)
  throw new ExitError(
    exitCodes.usage,
    'there is no terminal to ask for the password: put it into a file and name it with --password-file',
  )
}

/** The password that opens something. */
export const takePassword = async (file: string | undefined, question = 'Password: '): Promise<string> =>
  file === undefined ? await askPerson(question) : readPasswordFile(file)

/** The password that something is to be encrypted with, typed twice. */
export const takeNewPassword = async (file: string | undefined, what = 'Password'): Promise<string> => {
  if (file !== undefined) return readPasswordFile(file)
  const password = await askPerson(`${what}: `)
  if ((await askPerson(`${what} again: `)) !== password)
    throw new ExitError(exitCodes.usage, 'the two passwords differ')
  return password
}
