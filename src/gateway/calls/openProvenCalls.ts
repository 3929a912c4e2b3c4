import type { ResourceStack } from '../../base/resources.ts'
import type { ChainConfig } from '../../chain/config/chainConfig.ts'
import type { BlockRef } from '../../chain/port/blockRef.ts'
import { createEvm } from '../../evm/evm.ts'
import { loadEvmModules } from '../../evm/host/evmModules.ts'
import { precompilesAt } from '../../evm/precompiles/precompileTable.ts'
import { callWorkerOptions, type ExecutionSettings, inlineLimits } from '../../execute/executionSettings.ts'
import { WorkerPool } from '../../execute/workers/workerPool.ts'
import type { RemoteBackend } from '../../families/remote.ts'
import type { BlockStoreReader } from '../../store/blockStoreReader.ts'
import { ProvenCalls } from './provenCalls.ts'
import { createProvenExecutor } from './provenExecutor.ts'
import type { QuestionTask, QuestionWorkerOptions } from './questionService.ts'

export type CallSettings = Pick<
  ExecutionSettings,
  'gasCap' | 'inlineGas' | 'inlineTime' | 'callWorkers' | 'callQueue' | 'callMemory' | 'queueTimeout'
> &
  Pick<ExecutionSettings, 'evmTimeout' | 'workerGrace'>

interface Served {
  readonly blocks: Pick<BlockStoreReader, 'header' | 'blockHashAt'>
  readonly config: ChainConfig
  readonly headNumber: () => number
  readonly isProvable: (height: number) => boolean
  readonly resolve: (ref: BlockRef) => number | 'pending' | undefined
}

/** The parts that run calls on proven states. */
export interface CallProver {
  readonly counts: ProvenCalls['counts']
  /** Returns a backend whose calls are executed here where they can be proven. */
  over(backend: RemoteBackend, served: Served): RemoteBackend
}

/** Behind blocks and responses that take no time. */
const niceness = 5

/** Opens the EVM of this thread and the workers for longer calls, whose threads start when they are needed. */
export const openCallProver = async (
  settings: CallSettings,
  resources: ResourceStack,
): Promise<CallProver> => {
  const modules = await loadEvmModules()
  const { gasCap } = settings
  const workers = new WorkerPool<Omit<QuestionWorkerOptions, 'cancelled'>>(
    callWorkerOptions(settings),
    { gasCap, modules, niceness },
    undefined,
    {},
    'question',
  )
  resources.own('workers of calls', () => workers.close())
  let calls: ProvenCalls | undefined
  return {
    counts: () => calls?.counts() ?? new Map(),
    over: (backend, { blocks, config, headNumber, isProvable, resolve }) => {
      calls = new ProvenCalls(
        { gasCap, timeoutMs: settings.evmTimeout, inline: inlineLimits(settings) },
        {
          evm: createEvm(modules, precompilesAt),
          config,
          header: (height) => blocks.header(height),
          hashAt: (height) => blocks.blockHashAt(height),
          witness: async (question, height, signal) =>
            backend.executor.witness(question, { kind: 'number', number: BigInt(height) }, signal),
          stateAt: (height) => backend.stateAt(height),
          runElsewhere: (task: QuestionTask, signal) =>
            workers.runOther(task, task.question.kind === 'call' ? 'call' : 'long', signal),
        },
      )
      return {
        ...backend,
        stateAt: (height) => backend.stateAt(height),
        stateRetention: () => backend.stateRetention(),
        executor: createProvenExecutor({ base: backend.executor, calls, resolve, headNumber, isProvable }),
      }
    },
  }
}
