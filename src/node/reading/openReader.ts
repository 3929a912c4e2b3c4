import type { AppHead } from '../../app/appHead.ts'
import { LmdbEnvironment } from '../../base/lmdb/lmdb.ts'
import type { Logger } from '../../base/logging/log.ts'
import { noopWaitRecorder } from '../../base/profiling/lockWaitStats.ts'
import type { ResourceStack } from '../../base/resources.ts'
import { parseChainConfig } from '../../chain/config/chainConfig.ts'
import { createLiveConfig } from '../../chain/config/liveConfig.ts'
import type { Chain, ChainMode } from '../../chain/port/chain.ts'
import { NextBlock } from '../../engine/blocks/nextBlock.ts'
import { loadEvmModules } from '../../evm/host/evmModules.ts'
import {
  callWorkerOptions,
  type ExecutionSettings,
  inlineLimits,
  traceLimits,
  traceWorkerOptions,
} from '../../execute/executionSettings.ts'
import type { TraceLimits } from '../../execute/nodeTraces.ts'
import type { WorkerPoolStats } from '../../execute/workers/workerMetrics.ts'
import { ChainEvents } from '../../served/chainEvents.ts'
import { type PruningMode, pruningModes } from '../../state/history/prune.ts'
import { StateStore } from '../../state/stateStore.ts'
import { BlockStoreReader } from '../../store/blockStoreReader.ts'
import { ConsoleWatch } from '../calls/consoleWatch.ts'
import { HeadTracker } from '../head/headTracker.ts'
import { NodeChain } from '../nodeChain.ts'
import { openExecution } from '../opening/openExecution.ts'
import { readConfig } from '../opening/openStore.ts'
import { elsewhere, failElsewhere } from './elsewhere.ts'

export interface ReaderOptions {
  readonly dataFile: string
  readonly mode: ChainMode
  /** Whether clients may change the next block, so that its fees are known to the main process alone. */
  readonly isDevChain: boolean
  readonly pruning: PruningMode
  readonly retainedBlocks: number | undefined
  readonly minimumGasPrice: bigint
  readonly jsonRpc: ExecutionSettings & { readonly feehistoryCap: number }
  readonly traceFolders: Pick<TraceLimits, 'folder' | 'spoolFolder' | 'minFreeBytes'>
  /** The number of the head to begin with. */
  readonly head: number
}

/** The reading half of a node in another process than the one that writes. */
export interface ChainReader {
  readonly chain: Chain
  /** Tells listeners of changes of the head. */
  readonly events: ChainEvents
  workerStats(): WorkerPoolStats
  /** Moves to a head, or reads the same one again. */
  moveTo(number: number): void
  /** Has the next read see what is in the store now. */
  refresh(): void
  /** Takes over the configuration of the chain that was begun in the same file. */
  reset(): void
  stopCalls(): void
}

const noEvents = { emitExtended: () => {}, prepareRevert: async () => () => {} }

/** Opens the stored chain of another process for reading. What only that process knows throws an `ElsewhereError`. */
export const openReader = async (
  options: ReaderOptions,
  log: Logger,
  resources: ResourceStack,
): Promise<ChainReader> => {
  const { dataFile: path, jsonRpc, pruning } = options
  const modules = await loadEvmModules()
  const environment = new LmdbEnvironment({ path, readOnly: true })
  resources.own('store', () => environment.close())
  const state = new StateStore(environment)
  const blocks = new BlockStoreReader(environment)
  const configText = readConfig(blocks)
  const config = createLiveConfig(parseChainConfig(JSON.parse(configText)))
  const execution = openExecution(
    {
      path,
      config: configText,
      gasCap: jsonRpc.gasCap,
      workers: callWorkerOptions(jsonRpc),
      traceWorkers: traceWorkerOptions(jsonRpc),
      modules,
    },
    noopWaitRecorder,
    resources,
  )
  const readHead = (number: number): AppHead => {
    const header = blocks.header(number)
    const hash = blocks.blockHashAt(number)
    if (header === undefined || hash === undefined) throw new Error(`the store has no block ${number}`)
    return { header, hash }
  }
  // The main process shows people what failed and what contracts wrote, and knows where in the source that was.
  const watch = options.isDevChain ? new ConsoleWatch() : undefined
  const nextBlock = options.isDevChain ? elsewhere<NextBlock>() : new NextBlock()
  const tracker = new HeadTracker(readHead(options.head), {
    config,
    forks: { onHead: () => {}, onSchedule: () => {} },
    environment,
    state,
    nextBlockTime: failElsewhere,
    nextBlock,
    now: Date.now,
  })
  const moveTo = (number: number): void => {
    environment.refresh()
    tracker.advance(readHead(number), { events: noEvents })
  }
  // For the schedule of forks, which is in the state.
  moveTo(options.head)
  const events = new ChainEvents({
    onPending: failElsewhere,
    syncing: failElsewhere,
    blocks,
    onListenerError: (error) => log.error({ err: error }, 'a listener of the chain failed'),
  })
  const chain = new NodeChain(
    {
      mode: options.mode,
      config,
      gasCap: jsonRpc.gasCap,
      inline: inlineLimits(jsonRpc),
      minimumGasPrice: options.minimumGasPrice,
      traces: traceLimits(jsonRpc, options.traceFolders),
      feeHistoryCap: jsonRpc.feehistoryCap,
      retainedStates: pruning === 'archive' ? undefined : pruningModes[pruning],
      retainedBlocks: options.retainedBlocks,
    },
    {
      state,
      blocks,
      pool: elsewhere(),
      poolVersion: failElsewhere,
      producer: elsewhere(),
      ...execution,
      evm: watch?.watch(execution.evm) ?? execution.evm,
      watchedCalls: watch && {
        watch,
        listeners: {
          onConsoleCall: ({ isCertain }) => (isCertain ? failElsewhere() : undefined),
          onFailedCall: failElsewhere,
        },
      },
      head: () => tracker.head,
      // What is not there any more is asked of the main process, which knows why.
      reverts: { count: 0, hasPassed: failElsewhere },
      network: elsewhere(),
      control: elsewhere(),
      dev: options.isDevChain ? elsewhere() : undefined,
      nextBlock,
      events,
      calls: undefined,
    },
  )
  const pools = [execution.workers, execution.traceWorkers]
  return {
    chain,
    events,
    workerStats: () => ({ call: execution.workers.stats(), trace: execution.traceWorkers.stats() }),
    moveTo,
    refresh: () => environment.refresh(),
    reset: () => {
      environment.refresh()
      const text = readConfig(blocks)
      config.replace(parseChainConfig(JSON.parse(text)))
      for (const pool of pools) pool.replaceThreads({ config: text })
    },
    stopCalls: () => {
      for (const pool of pools) void pool.close()
    },
  }
}
