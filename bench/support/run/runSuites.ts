import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { PartOrder } from '../../partProcess.ts'
import { suites } from '../../suites.ts'
import type { PartEvent } from './measurement.ts'
import type { RunOptions } from './part.ts'

const partFile = fileURLToPath(new URL('../../partProcess.ts', import.meta.url))

/** Runs a part in a process of its own. All that it writes is in one folder, which is removed whatever happens. */
const runInProcess = async (order: PartOrder, onEvent: (event: PartEvent) => void): Promise<boolean> => {
  const folder = mkdtempSync(join(tmpdir(), 'perihelion-bench-'))
  const child = fork(partFile, {
    execArgv: ['--import', 'tsx'],
    env: { ...process.env, TMPDIR: folder },
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  let isStopped = false
  const stop = (): void => {
    isStopped = true
    child.kill('SIGTERM')
  }
  process.on('SIGINT', stop).on('SIGTERM', stop)
  child.on('message', onEvent)
  child.send(order)
  const [code] = (await once(child, 'exit')) as [number | null]
  process.off('SIGINT', stop).off('SIGTERM', stop)
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  if (isStopped) process.exit(1)
  return code === 0
}

/** Runs the parts of suites, so many at once; returns those that failed. */
export const runSuites = async (
  names: readonly string[],
  options: RunOptions,
  atOnce: number,
  onEvent: (event: PartEvent) => void,
): Promise<string[]> => {
  const failed: string[] = []
  const orders = names
    .flatMap((suite) => Object.keys(suites[suite]?.parts ?? {}).map((part) => ({ suite, part, options })))
    .values()
  const runNext = async (): Promise<void> => {
    // All take from the same row.
    for (const order of orders) {
      const name = `${order.suite} / ${order.part}`
      onEvent({ kind: 'remark', text: `== ${name}` })
      if (!(await runInProcess(order, onEvent))) failed.push(name)
    }
  }
  await Promise.all(Array.from({ length: atOnce }, runNext))
  return failed
}
