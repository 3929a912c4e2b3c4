import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

/** The built program. */
export const programPath = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url))

/** A running process of the built program. */
export interface Program {
  readonly child: ChildProcess
  readonly stdout: () => string
  readonly stderr: () => string
  /** The fields of the ready line: `http`, `ws` … Rejects with the output if the program ends before it. */
  ready(): Promise<Readonly<Record<string, string>>>
  /** The exit code, or the signal that ended it. */
  ended(): Promise<number | NodeJS.Signals>
}

/** Starts `perihelion …` with an environment that holds no settings. */
export const runProgram = (
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  mainFile = programPath,
  node = process.execPath,
): Program => {
  const child = spawn(node, [mainFile, ...args], {
    env: { PATH: process.env.PATH ?? '', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let stdout = ''
  let stderr = ''
  child.stdout.on('data', (chunk) => {
    stdout += chunk
  })
  child.stderr.on('data', (chunk) => {
    stderr += chunk
  })
  const ended = once(child, 'close').then(([code, signal]) => (code ?? signal) as number | NodeJS.Signals)
  return {
    child,
    stdout: () => stdout,
    stderr: () => stderr,
    ended: () => ended,
    ready: () =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          const [, parts] = /^perihelion ready (.*)$/m.exec(stdout) ?? []
          if (parts === undefined) return
          resolve(Object.fromEntries(parts.split(' ').map((part) => part.split(/=(.*)/s).slice(0, 2))))
        }
        child.stdout.on('data', look)
        void ended.then((code) => reject(new Error(`ended with ${code}: ${stderr}`)))
        look()
      }),
  }
}

/** Runs a command to its end; a start that is not refused is ended when it is ready. */
export const runToEnd = async (args: readonly string[], env: Readonly<Record<string, string>> = {}) => {
  const program = runProgram(args, env)
  const ended = program.ended()
  void program.ready().then(
    () => program.child.kill('SIGTERM'),
    () => {},
  )
  return { code: await ended, stdout: program.stdout(), stderr: program.stderr() }
}

/** The settings of a separate node. No port is fixed, so that tests can run concurrently. */
export const isolatedFlags = (home: string): string[] => [
  '--home',
  home,
  '--json-rpc.address=127.0.0.1:0',
  '--json-rpc.ws-address=127.0.0.1:0',
]
