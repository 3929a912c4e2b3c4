import { closeSync, fstatSync, openSync, readFileSync } from 'node:fs'
import { badFile, badUsage } from '../../base/exit.ts'

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
    throw badFile(`${what} cannot be read: ${(error as NodeJS.ErrnoException).code}`)
  }
  try {
    const stats = fstatSync(file)
    if (stats.isDirectory()) throw badFile(`${what} is a folder`)
    if (stats.isFile() && process.platform !== 'win32' && (stats.mode & 0o077) !== 0)
      throw badFile(`${what} can be read by others: run chmod 600 on it`)
    const text = readFileSync(file, 'utf8')
    if (text.length > maxSecretBytes) throw badFile(`${what} is too large`)
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

/** One line for each question; what is typed does not appear, nor what is typed before the next question is there. */
const promptHidden = (prompts: readonly string[]): Promise<readonly string[]> =>
  new Promise((resolve, reject) => {
    const { stdin, stderr } = process
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
      stderr.write('\n')
      const next = prompts[answers.length]
      if (next !== undefined) stderr.write(next)
      return next === undefined
    }
    const receive = (chunk: string): void => {
      for (const key of chunk) {
        if (key === controlC || key === controlD) {
          stderr.write('\n')
          return finish(() => reject(badUsage('no password was given')))
        }
        if (isDelete(key)) typed.pop()
        else if (!isEnter(key)) typed.push(key)
        else if (takeLine()) return finish(() => resolve(answers))
      }
    }
    stdin.setEncoding('utf8')
    // Before the question: who answers at once must not be read along.
    stdin.setRawMode(true)
    stdin.on('data', receive)
    stdin.resume()
    stderr.write(prompts[0] ?? '')
  })

const promptTerminal = (...questions: readonly string[]): Promise<readonly string[]> => {
  if (process.stdin.isTTY) return promptHidden(questions)
  throw badUsage(
    'there is no terminal to ask for the password: put it into a file and name it with --password-file',
  )
}

/** The password that opens something. */
export const readPassword = async (file: string | undefined, prompt = 'Password: '): Promise<string> => {
  if (file !== undefined) return readPasswordFile(file)
  const [password = ''] = await promptTerminal(prompt)
  return password
}

/** The password that something is to be encrypted with, typed twice. */
export const readNewPassword = async (file: string | undefined, what = 'Password'): Promise<string> => {
  if (file !== undefined) return readPasswordFile(file)
  const [password = '', again] = await promptTerminal(`${what}: `, `${what} again: `)
  if (again !== password) throw badUsage('the two passwords differ')
  return password
}
