import { LmdbEnvironment } from '../../base/lmdb/lmdb.ts'
import { type PackedValue, unpackValue } from '../../base/threads/packedValue.ts'
import { parseChainConfig } from '../../chain/config/chainConfig.ts'
import { createLiveConfig } from '../../chain/config/liveConfig.ts'
import { followSchedule } from '../../chain/validators/schedule.ts'
import { createEvm, type Evm } from '../../evm/evm.ts'
import type { EvmModules } from '../../evm/host/evmModules.ts'
import { precompilesAt } from '../../evm/precompiles/precompileTable.ts'
import { openThreadFork, type ThreadForkOptions } from '../../fork/threadSource.ts'
import { StateStore } from '../../state/stateStore.ts'
import { BlockStoreReader } from '../../store/blockStoreReader.ts'
import type { Task } from '../tasks/task.ts'
import { TaskRunner } from '../tasks/taskRunner.ts'
import { TraceRunner } from '../trace/traceRunner.ts'
import type { TraceTask } from '../trace/traceTask.ts'
import { setThreadNiceness } from './priority.ts'

export interface CallWorkerOptions {
  /** The path of the data file. */
  readonly path: string
  /** The chain's config object in geth's format, as JSON. */
  readonly config: string
  readonly gasCap: bigint
  readonly modules: EvmModules
  /** By how much the worker yields to other threads. */
  readonly niceness: number
  /** The remote chain that the chain is forked from, if it is. */
  readonly fork?: ThreadForkOptions | undefined
  /** Shared memory that is not zero once the running task is cancelled. */
  readonly cancelled: Int32Array
}

/** Creates the service of a call worker. It runs one task at a time, with a separate store reader and EVM. */
export const createCallService = (options: CallWorkerOptions) => {
  const environment = new LmdbEnvironment({ path: options.path, readOnly: true })
  const config = createLiveConfig(parseChainConfig(JSON.parse(options.config)))
  const fork = options.fork && openThreadFork(options.fork)
  const waitedMs = (): number => fork?.waitedMs() ?? 0
  const state = new StateStore(environment, { fork: () => fork?.source })
  const dependencies = {
    config,
    state,
    blocks: new BlockStoreReader(environment),
    evm: createEvm(options.modules, precompilesAt),
  }
  const runner = new TaskRunner(options.gasCap, dependencies)
  const newEvm = (): Evm => createEvm(options.modules, precompilesAt)
  const tracer = new TraceRunner({ gasCap: options.gasCap, waitedMs }, { ...dependencies, createEvm: newEvm })
  const isCancelled = (): boolean => Atomics.load(options.cancelled, 0) !== 0
  setThreadNiceness(options.niceness)
  return {
    /** Does nothing; the response shows that the worker has started. */
    ready: (): void => {},

    run: (given: Task | TraceTask | PackedValue, timeoutMs: number) => {
      const task = given.kind === 'packed' ? (unpackValue(given) as Task | TraceTask) : given // a task was packed
      // The writer is another thread, so a new read transaction is needed to see its commits.
      environment.refresh()
      const { head } = state
      if (head !== undefined) followSchedule(config, state.reader(head.height))
      if (task.kind === 'trace') return tracer.run(task, isCancelled)
      const end = performance.now() + timeoutMs - waitedMs()
      const deadline = (): number => (isCancelled() ? 0 : end + waitedMs())
      return runner.run(task, { deadline })
    },
  }
}
