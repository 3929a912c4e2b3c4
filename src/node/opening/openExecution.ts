import type { LockWaitRecorder } from '../../base/profiling/lockWaitStats.ts'
import type { ResourceStack } from '../../base/resources.ts'
import type { Evm } from '../../evm/evm.ts'
import type { EvmModules } from '../../evm/host/evmModules.ts'
import { returnEvm, takeEvm } from '../../evm/spareEvms.ts'
import { WorkerPool, type WorkerPoolOptions } from '../../execute/workers/workerPool.ts'
import type { ForkHost } from '../fork/forkHost.ts'

export interface ExecutionOptions {
  /** The path of the data file. */
  readonly path: string
  /** The chain's configuration as JSON. */
  readonly config: string
  readonly gasCap: bigint
  readonly workers: WorkerPoolOptions
  readonly traceWorkers: WorkerPoolOptions
  readonly modules: EvmModules
  /** The remote chain that the chain is forked from or may be later; undefined if it cannot be forked. */
  readonly fork?: ForkHost | undefined
}

/** The parts that execute calls and traces. */
export interface OpenExecution {
  /** The EVM of this thread. */
  readonly evm: Evm
  /** The workers for longer calls. */
  readonly workers: WorkerPool
  readonly traceWorkers: WorkerPool
}

/** Answers to others and blocks come before calls that take long, and those before traces. */
const callNiceness = 5
const traceNiceness = 10

/** Creates the EVM of this thread and the worker pools, whose threads start when they are needed. */
export const openExecution = (
  { path, config, gasCap, modules, fork, ...options }: ExecutionOptions,
  waits: LockWaitRecorder,
  resources: ResourceStack,
): OpenExecution => {
  const shared = { path, config, gasCap, modules, fork: fork?.threadOptions }
  const hooks = fork === undefined ? {} : { onWorker: fork.serve, waitedMs: fork.waitedMs }
  const workers = new WorkerPool(options.workers, { ...shared, niceness: callNiceness }, waits, hooks)
  resources.own('workers of calls', () => workers.close())
  const traced = { ...shared, niceness: traceNiceness }
  const traceWorkers = new WorkerPool(options.traceWorkers, traced, waits, hooks)
  resources.own('workers of traces', () => traceWorkers.close())
  const evm = takeEvm(modules)
  resources.own('EVM', () => returnEvm(evm))
  return { evm, workers, traceWorkers }
}
