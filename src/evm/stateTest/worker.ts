import { parentPort, workerData } from 'node:worker_threads'
import { createMachine } from '../machine.ts'
import type { MachineModules } from '../modules.ts'
import { precompilesAt } from '../precompiles/table.ts'
import { runStateTestFile } from './run.ts'

/** One thread of the runner: answers each file's path with the results of its cases. */

if (parentPort === null) throw new Error('this file runs in a worker thread')
const port = parentPort
const machine = createMachine(workerData as MachineModules, precompilesAt) // as `runFiles` starts it

port.on('message', (file: string) => {
  port.postMessage(runStateTestFile(machine, file))
})
