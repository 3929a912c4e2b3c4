import { parentPort, workerData } from 'node:worker_threads'
import { createEvm } from '../evm.ts'
import type { EvmModules } from '../host/evmModules.ts'
import { precompilesAt } from '../precompiles/precompileTable.ts'
import { runStateTestFile } from './runStateTest.ts'

/** A worker thread of the runner, which replies to the path of a file with the results of its cases. */

if (parentPort === null) throw new Error('this file runs in a worker thread')
const port = parentPort
const evm = createEvm(workerData as EvmModules, precompilesAt) // as `runFiles` starts it

port.on('message', (file: string) => {
  port.postMessage(runStateTestFile(evm, file))
})
