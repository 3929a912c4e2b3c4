import { startWorker } from '../../base/threads/builtFiles.ts'
import { type EvmModules, loadEvmModules } from '../host/evmModules.ts'
import type { CaseResult } from './runStateTest.ts'

export interface RunOptions {
  readonly workers: number
  /** Called with the results of each file, in no fixed order. */
  readonly onFile: (results: readonly CaseResult[], file: string) => void
}

/** Runs state tests on worker threads, one file at a time on each. */
export const runFiles = async (files: readonly string[], { workers, onFile }: RunOptions): Promise<void> => {
  const modules = await loadEvmModules()
  const waiting = files.values()
  const workersDone = Array.from({ length: Math.min(workers, files.length) }, () =>
    runWorker(modules, waiting, onFile),
  )
  await Promise.all(workersDone)
}

const runWorker = (
  modules: EvmModules,
  waiting: Iterator<string>,
  onFile: RunOptions['onFile'],
): Promise<void> =>
  new Promise((resolve, reject) => {
    const worker = startWorker('stateTest', { workerData: modules })
    let current = ''
    const next = (): void => {
      const { value, done } = waiting.next()
      if (done) {
        worker.terminate().then(() => resolve(), reject)
        return
      }
      current = value
      worker.postMessage(current)
    }
    worker.on('message', (results: CaseResult[]) => {
      onFile(results, current)
      next()
    })
    worker.on('error', (error) => reject(new Error(`${current}: ${error.message}`, { cause: error })))
    next()
  })
