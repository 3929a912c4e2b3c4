import { closeSync, fstatSync, openSync } from 'node:fs'
import { badFile, badUsage } from '../../../base/exit.ts'
import { readToEnd } from '../../../base/files/readFile.ts'
import { printError } from '../../output/print.ts'

/** Passwords come from a file or the terminal, never from arguments, which every user of the computer can read. */

/** The maximum size of a secret file, far more than any secret needs. */
const maxSecretBytes = 65_536

/**
 * Returns the text of a file with a secret. A file that others can read is rejected; a pipe is private. Errors name the
 * purpose of the file and not its path, because a user may have given the secret itself.
 */
export const readSecretFile = (path: string, what: string): string => {
  let file: number
  try {
    file = openSync(path, 'r')
  } catch (error) {
    throw badFile(`${what} cannot be read: ${(error as NodeJS.ErrnoException).code}`)
  }
  try {
    const stats = fstatSync(file)
    if (stats.isDirectory()) throw badFile(`${what} is a folder`)
    if (stats.isFile() && process.platform !== 'win32' && (stats.mode & 0o077) !== 0)
      throw badFile(`${what} can be read by others: run chmod 600 on it`)
    const bytes = readToEnd(file, maxSecretBytes)
    if (bytes === undefined) throw badFile(`${what} is too large`)
    return bytes.toString('utf8')
  } finally {
    closeSync(file)
  }
}

/** Returns the first line of the file, as geth does. */
const readPasswordFile = (path: string): string =>
  readSecretFile(path, 'the password file').split(/\r?\n/, 1)[0] as string // there is always a first

const controlC = '\u0003'
const controlD = '\u0004'
const isDelete = (key: string): boolean => key === '\b' || key === '\u007f'
const isEnter = (key: string): boolean => key === '\r' || key === '\n'

/** Prompts for one line each without echo, and discards what was typed before a prompt appears. */
const promptHidden = (prompts: readonly string[]): Promise<readonly string[]> =>
  new Promise((resolve, reject) => {
    const { stdin } = process
    const answers: string[] = []
    let typed: string[] = []
    const finish = (end: () => void): void => {
      stdin.off('data', receive)
      stdin.setRawMode(false)
      stdin.pause()
      end()
    }
    const takeLine = (): boolean => {
      answers.push(typed.join(''))
      typed = []
      printError`\n`
      const next = prompts[answers.length]
      if (next !== undefined) printError`${next}`
      return next === undefined
    }
    const receive = (chunk: string): void => {
      for (const key of chunk) {
        if (key === controlC || key === controlD) {
          printError`\n`
          return finish(() => reject(badUsage('no password was given')))
        }
        if (isDelete(key)) typed.pop()
        else if (!isEnter(key)) typed.push(key)
        else if (takeLine()) return finish(() => resolve(answers))
      }
    }
    stdin.setEncoding('utf8')
    // Echo is turned off before the prompt, so that an immediate input is not shown.
    stdin.setRawMode(true)
    stdin.on('data', receive)
    stdin.resume()
    printError`${prompts[0] ?? ''}`
  })

const promptTerminal = (...questions: readonly string[]): Promise<readonly string[]> => {
  if (process.stdin.isTTY) return promptHidden(questions)
  throw badUsage(
    'there is no terminal to ask for the password: put it into a file and name it with --password-file',
  )
}

/** Reads the password that decrypts something. */
export const readPassword = async (file: string | undefined, prompt = 'Password: '): Promise<string> => {
  if (file !== undefined) return readPasswordFile(file)
  const [password = ''] = await promptTerminal(prompt)
  return password
}

/** Reads the password that something will be encrypted with; on a terminal it is typed twice. */
export const readNewPassword = async (file: string | undefined, what = 'Password'): Promise<string> => {
  if (file !== undefined) return readPasswordFile(file)
  const [password = '', again] = await promptTerminal(`${what}: `, `${what} again: `)
  if (again !== password) throw badUsage('the two passwords differ')
  return password
}
