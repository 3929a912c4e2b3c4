import { spawn } from 'node:child_process'
import { programPath } from './program.ts'

interface TerminalOptions {
  readonly env?: Readonly<Record<string, string>>
  /** How wide the terminal is; as wide as the system says if it is missing. */
  readonly columns?: number
}

/** Runs the built program in a terminal of its own, which the program `script` makes. */
export const runInTerminal = (args: readonly string[], { env = {}, columns }: TerminalOptions = {}) => {
  const words = [process.execPath, programPath, ...args].map((word) => `'${word}'`).join(' ')
  const resize = columns === undefined ? '' : `stty cols ${columns}; `
  const child = spawn('script', ['-qfec', `${resize}exec ${words}`, '/dev/null'], {
    env: { PATH: process.env.PATH ?? '', TERM: 'xterm', ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  let output = ''
  child.stdout.on('data', (chunk) => {
    output += chunk
  })
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()))
  return {
    output: () => output,
    ended,
    /** Presses Ctrl-C. */
    interrupt: () => child.stdin.write('\x03'),
    kill: () => child.kill('SIGKILL'),
  }
}
