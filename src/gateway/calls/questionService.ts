import { type PackedValue, unpackValue } from '../../base/threads/packedValue.ts'
import { decodeHeader } from '../../chain/block/header.ts'
import { type ChainConfig, parseChainConfig } from '../../chain/config/chainConfig.ts'
import type { WitnessQuestion } from '../../chain/port/executor.ts'
import { createEvm } from '../../evm/evm.ts'
import type { EvmModules } from '../../evm/host/evmModules.ts'
import { precompilesAt } from '../../evm/precompiles/precompileTable.ts'
import { ExecutionBudget } from '../../execute/call/budget.ts'
import { setThreadNiceness } from '../../execute/workers/priority.ts'
import { NodeStore } from '../../light/state/nodeStore.ts'
import { type Attempt, attemptQuestion } from './provenQuestion.ts'

export interface QuestionWorkerOptions {
  readonly gasCap: bigint
  readonly modules: EvmModules
  /** By how much the worker yields to other threads. */
  readonly niceness: number
  /** Shared memory that is not zero once the running task is cancelled. */
  readonly cancelled: Int32Array
}

/** A call with all that is known of the state. Plain data. */
export interface QuestionTask {
  readonly kind: 'question'
  readonly headerRlp: Uint8Array
  /** The configuration with the forks of the block's state, as JSON. */
  readonly config: string
  readonly question: WitnessQuestion
  /** Nodes and codes. */
  readonly items: readonly Uint8Array[]
  readonly hashes: readonly (readonly [height: number, hash: Uint8Array])[]
}

/** Room for the items of one task, which has no more. */
const storeBytes = 256 * 2 ** 20

/** Creates the service of a worker that runs calls whose state comes with them. */
export const createQuestionService = ({ gasCap, modules, niceness, cancelled }: QuestionWorkerOptions) => {
  const evm = createEvm(modules, precompilesAt)
  setThreadNiceness(niceness)
  let known: { readonly text: string; readonly config: ChainConfig } | undefined
  const configOf = (text: string): ChainConfig => {
    if (known?.text !== text) known = { text, config: parseChainConfig(JSON.parse(text)) }
    return known.config
  }
  return {
    /** Does nothing; the response shows that the worker has started. */
    ready: (): void => {},

    run: (given: QuestionTask | PackedValue, timeoutMs: number): Attempt => {
      const task = given.kind === 'packed' ? (unpackValue(given) as QuestionTask) : given // a task was packed
      const store = new NodeStore(storeBytes)
      store.add(task.items)
      const hashes = new Map(task.hashes)
      const end = performance.now() + timeoutMs
      const isCancelled = (): boolean => Atomics.load(cancelled, 0) !== 0
      return attemptQuestion(
        {
          evm,
          config: configOf(task.config),
          gasCap,
          header: decodeHeader(task.headerRlp),
          store,
          hashAt: (height) => hashes.get(height),
        },
        task.question,
        new ExecutionBudget({ deadline: () => (isCancelled() ? 0 : end) }),
      )
    },
  }
}
