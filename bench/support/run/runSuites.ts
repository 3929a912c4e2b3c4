import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { PartOrder } from '../../partProcess.ts'
import { suites } from '../../suites.ts'
import type { PartEvent } from './measurement.ts'
import type { RunOptions } from './part.ts'

const partFile = fileURLToPath(new URL('../../partProcess.ts', import.meta.url))

const runInProcess = async (order: PartOrder, onEvent: (event: PartEvent) => void): Promise<boolean> => {
  const child = fork(partFile, {
    execArgv: ['--import', 'tsx'],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  const forward = (signal: NodeJS.Signals): void => {
    child.kill(signal)
  }
  process.on('SIGINT', forward).on('SIGTERM', forward)
  child.on('message', onEvent)
  child.send(order)
  const [code, signal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null]
  process.off('SIGINT', forward).off('SIGTERM', forward)
  if (signal === 'SIGINT' || signal === 'SIGTERM') process.exit(1)
  return code === 0
}

/** Runs the parts of suites one after the other; returns those that failed. */
export const runSuites = async (
  names: readonly string[],
  options: RunOptions,
  onEvent: (event: PartEvent) => void,
): Promise<string[]> => {
  const failed: string[] = []
  for (const suite of names)
    for (const part of Object.keys(suites[suite]?.parts ?? {})) {
      onEvent({ kind: 'remark', text: `== ${suite} / ${part}` })
      if (!(await runInProcess({ suite, part, options }, onEvent))) failed.push(`${suite} / ${part}`)
    }
  return failed
}
