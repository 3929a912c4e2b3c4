import type { WaitRecorder } from '../base/profiling/lockWaits.ts'
import type { ResourceStack } from '../base/resources.ts'
import { createMachine, type Machine } from '../evm/machine.ts'
import { loadModules } from '../evm/modules.ts'
import { precompilesAt } from '../evm/precompiles/table.ts'
import { WorkerPool, type WorkerPoolOptions } from '../execute/workers/workerPool.ts'

export interface ExecutionOptions {
  /** The data file. */
  readonly path: string
  /** The chain's configuration as JSON. */
  readonly config: string
  readonly gasCap: bigint
  readonly workers: WorkerPoolOptions
  readonly traceWorkers: WorkerPoolOptions
}

/** What runs code to answer a question. */
export interface OpenExecution {
  /** Runs calls on this thread. */
  readonly machine: Machine
  /** Runs longer ones. */
  readonly workers: WorkerPool
  readonly traceWorkers: WorkerPool
}

/** Sets up the machine of this thread and the threads for what takes longer, which start when they are needed. */
export const openExecution = async (
  { path, config, gasCap, ...options }: ExecutionOptions,
  waits: WaitRecorder,
  resources: ResourceStack,
): Promise<OpenExecution> => {
  const modules = await loadModules()
  const shared = { path, config, gasCap, modules }
  const workers = new WorkerPool(options.workers, { ...shared, isPatient: false }, waits)
  resources.own('workers of calls', () => workers.close())
  const traceWorkers = new WorkerPool(options.traceWorkers, { ...shared, isPatient: true }, waits)
  resources.own('workers of traces', () => traceWorkers.close())
  return { machine: createMachine(modules, precompilesAt), workers, traceWorkers }
}
