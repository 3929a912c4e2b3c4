import { LmdbEnvironment } from '../../base/lmdb.ts'
import { parseChainConfig } from '../../chain/chainConfig.ts'
import { createMachine } from '../../evm/machine.ts'
import type { MachineModules } from '../../evm/modules.ts'
import { precompilesAt } from '../../evm/precompiles/table.ts'
import { StateStore } from '../../state/store.ts'
import { BlockReader } from '../../store/blockReader.ts'
import { TaskRunner } from '../executorRunner.ts'
import type { Task } from '../executorTask.ts'

export interface CallWorkerOptions {
  /** The data file. */
  readonly path: string
  /** geth's config object, as JSON. */
  readonly config: string
  readonly gasCap: bigint
  readonly modules: MachineModules
  /** Shared: not zero while the task that runs is wanted by nobody. */
  readonly cancelled: Int32Array
}

/** What a call worker does: one task at a time, with a reader and a machine of its own. */
export const createCallService = (options: CallWorkerOptions) => {
  const environment = new LmdbEnvironment({ path: options.path, readOnly: true })
  const runner = new TaskRunner(options.gasCap, {
    config: parseChainConfig(JSON.parse(options.config)),
    state: new StateStore(environment),
    blocks: new BlockReader(environment),
    machine: createMachine(options.modules, precompilesAt),
  })
  return {
    /** The first call: answered once the worker can work. */
    ready: (): void => {},

    run: (task: Task, timeoutMs: number) => {
      // The writer is another thread: what it committed since the last task has to be seen.
      environment.refresh()
      const end = performance.now() + timeoutMs
      const deadline = (): number => (Atomics.load(options.cancelled, 0) === 0 ? end : 0)
      return runner.run(task, { deadline })
    },
  }
}
