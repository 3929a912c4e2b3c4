import { spawn } from 'node:child_process'
import { constants } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Task } from './tasks.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const module = (path: string): string => join(root, 'node_modules', path)

const stopSignals = ['SIGINT', 'SIGTERM'] as const

/** The counts are in the last lines. */
const keptCharacters = 10_000

export interface Outcome {
  readonly isGood: boolean
  readonly passed: number
  readonly failed: number
  readonly seconds: number
}

/** The last `N passed, N failed` that was printed; what prints none counts as one test. */
const readCounts = (output: string, isGood: boolean): Pick<Outcome, 'passed' | 'failed'> => {
  const [, passed = isGood ? 1 : 0, failed = 0] =
    [...output.matchAll(/^(\d+) passed, (\d+) failed/gm)].at(-1) ?? []
  // Something that failed without saying what is a failure too.
  return {
    passed: Number(passed),
    failed: isGood ? Number(failed) : Math.max(1, Number(failed)),
  }
}

/** Runs a program in the project's folder, shows what it prints, and reads its counts from that. */
const runProgram = async (
  program: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv = process.env,
): Promise<Outcome> => {
  const started = performance.now()
  const child = spawn(program, args, { cwd: root, env, stdio: ['inherit', 'pipe', 'inherit'] })
  let stopped: NodeJS.Signals | undefined
  const stop = (signal: NodeJS.Signals): void => {
    stopped = signal
    child.kill(signal)
  }
  for (const signal of stopSignals) process.on(signal, stop)
  let output = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    process.stdout.write(text)
    output = `${output}${text}`.slice(-keptCharacters)
  })
  const code = await new Promise<number | null>((resolve, reject) => {
    child.on('error', reject)
    child.on('close', resolve)
  })
  for (const signal of stopSignals) process.off(signal, stop)
  // Nothing comes after it: not the next task, and no summary.
  if (stopped !== undefined) process.exit(128 + constants.signals[stopped])
  const counts = readCounts(output, code === 0)
  const seconds = (performance.now() - started) / 1000
  return { ...counts, isGood: code === 0 && counts.failed === 0, seconds }
}

/** Builds what is out of date; false where that fails. */
const build = async (): Promise<boolean> =>
  (await runProgram(process.execPath, ['scripts/build.mjs', '--if-stale'])).isGood

/** Runs a task of the table. Arguments come after its own, and variables that are set already win over its own. */
export const runTask = async (task: Task, args: readonly string[] = []): Promise<Outcome> => {
  if (task.needsBuild && !(await build())) return { isGood: false, passed: 0, failed: 1, seconds: 0 }
  const command =
    'tsx' in task.command
      ? [module('tsx/dist/cli.mjs'), task.command.tsx, ...(task.command.args ?? []), ...args]
      : [module('vitest/vitest.mjs'), 'run', ...task.command.vitest, ...args]
  return runProgram(process.execPath, command, {
    LONG_TESTS: '1',
    ...(process.stdout.isTTY ? { FORCE_COLOR: '1' } : {}),
    ...task.env,
    ...process.env,
  })
}
