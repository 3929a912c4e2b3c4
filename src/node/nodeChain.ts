import type { AppHead } from '../app/appHead.ts'
import { headerNotFound, statePrunedError } from '../chain/chainError.ts'
import type { ChainConfig } from '../chain/config/chainConfig.ts'
import type { BlockRef } from '../chain/port/blockRef.ts'
import type { CallIndex } from '../chain/port/calls.ts'
import type { Chain, ChainMode, Head, Retention } from '../chain/port/chain.ts'
import type { ChainControl } from '../chain/port/control.ts'
import type { CosmosView } from '../chain/port/cosmos.ts'
import type { DevControl } from '../chain/port/dev.ts'
import type { Events } from '../chain/port/events.ts'
import type { Executor } from '../chain/port/executor.ts'
import type { Fees } from '../chain/port/fees.ts'
import type { ChainFork } from '../chain/port/fork.ts'
import type { LogReader } from '../chain/port/logs.ts'
import type { Network } from '../chain/port/network.ts'
import type { Pool } from '../chain/port/pool.ts'
import type { StateView } from '../chain/port/state.ts'
import type { Tracing } from '../chain/port/traces.ts'
import type { NextBlock } from '../engine/blocks/nextBlock.ts'
import type { Evm } from '../evm/evm.ts'
import { type InlineLimits, NodeExecutor } from '../execute/nodeExecutor.ts'
import { NodeTraces, type TraceLimits } from '../execute/nodeTraces.ts'
import { openStateView } from '../execute/overlay/editedStateView.ts'
import { openStateReader } from '../execute/overlay/openState.ts'
import { TaskRunner } from '../execute/tasks/taskRunner.ts'
import type { WorkerPool } from '../execute/workers/workerPool.ts'
import { historyBelowFork } from '../fork/below/fees.ts'
import { searchBelowFork } from '../fork/below/logs.ts'
import { filterBelowFork } from '../fork/below/traces.ts'
import { assertNotPruned } from '../served/assertNotPruned.ts'
import { createEthereumFeeRules } from '../served/ethereumFeeRules.ts'
import { FeeOracle } from '../served/feeOracle.ts'
import { StoredBlockReader } from '../served/storedBlockReader.ts'
import { StoredLogReader } from '../served/storedLogReader.ts'
import type { StateStore } from '../state/stateStore.ts'
import type { BlockStoreReader as StoredBlocks } from '../store/blockStoreReader.ts'
import type { ConsoleWatch } from './calls/consoleWatch.ts'
import { type CallListeners, watchCalls } from './calls/watchedExecutor.ts'
import { ForkedStateView } from './fork/forkedStateView.ts'
import type { ForkHost } from './fork/forkHost.ts'
import { PendingBlocks } from './producing/pendingBlocks.ts'
import type { BlockProducer } from './producing/producer.ts'
import { executeAgain, historyAgain, traceAgain } from './reverting/askAgain.ts'
import type { Reverts } from './reverting/revertWatch.ts'

export interface NodeChainOptions {
  readonly mode: ChainMode
  readonly config: ChainConfig
  readonly gasCap: bigint
  /** The limits of a call on this thread. */
  readonly inline: InlineLimits
  readonly minimumGasPrice: bigint
  readonly traces: TraceLimits
  readonly feeHistoryCap: number
  /** The number of retained states; undefined if all are retained. */
  readonly retainedStates: number | undefined
  /** The number of retained blocks, at least; undefined if all are retained. */
  readonly retainedBlocks: number | undefined
}

export interface NodeChainDependencies {
  readonly state: StateStore
  readonly blocks: StoredBlocks
  readonly pool: Pool
  readonly poolVersion: () => number
  readonly producer: BlockProducer
  /** The EVM of this thread, for short calls. */
  readonly evm: Evm
  /** The workers for longer calls. */
  readonly workers: WorkerPool
  readonly traceWorkers: WorkerPool
  readonly head: () => AppHead
  /** Tells when blocks were removed, so that what was asked about them is asked again. */
  readonly reverts: Reverts
  readonly network: Network
  readonly control: ChainControl
  readonly dev: DevControl | undefined
  readonly nextBlock: Pick<NextBlock, 'overrides'>
  readonly cosmos?: CosmosView | undefined
  readonly events: Events
  /** Who is notified of calls in which a contract calls the console; undefined if nobody is. */
  readonly watchedCalls?: { readonly watch: ConsoleWatch; readonly listeners: CallListeners } | undefined
  readonly calls: CallIndex | undefined
  /** The remote chain; undefined if the chain cannot be forked. */
  readonly fork?: ForkHost | undefined
}

/** The port of a node with a local chain. */
export class NodeChain implements Chain {
  readonly mode: ChainMode
  readonly config: ChainConfig
  readonly blocks: StoredBlockReader
  readonly logs: LogReader
  readonly pool: Pool
  readonly executor: Executor
  readonly traces: Tracing
  readonly calls: CallIndex | undefined
  readonly fees: Fees
  readonly network: Network
  readonly control: ChainControl
  readonly dev: DevControl | undefined
  readonly cosmos: CosmosView | undefined
  readonly events: Events
  readonly #options: NodeChainOptions
  readonly #dependencies: NodeChainDependencies
  readonly #pending: PendingBlocks

  constructor(options: NodeChainOptions, dependencies: NodeChainDependencies) {
    this.mode = options.mode
    this.config = options.config
    this.pool = dependencies.pool
    this.events = dependencies.events
    this.calls = dependencies.calls
    this.#options = options
    this.#dependencies = dependencies
    this.blocks = new StoredBlockReader(dependencies.blocks, {
      headNumber: () => this.head().number,
      pending: async () => (await this.#pending.get()).block,
    })
    const currentFork = () => this.fork
    this.logs = searchBelowFork(new StoredLogReader(dependencies.blocks), currentFork)
    const { state, blocks, evm, workers } = dependencies
    const pending = () => this.#pending.get()
    const isHead = (height: number): boolean => height === Number(dependencies.head().header.number)
    const executor = new NodeExecutor(options.inline, {
      runner: new TaskRunner(options.gasCap, { config: options.config, state, blocks, evm }),
      workers,
      resolve: (ref) => this.blocks.resolve(ref),
      hashAt: (height) => blocks.blockHashAt(height) ?? assertNotPruned(blocks, height),
      isHead,
      headerRlp: (height) => blocks.headerRlp(height),
      transactionCount: (height) => blocks.transactionCount(height) ?? assertNotPruned(blocks, height),
      stateAt: (height) => openStateReader(state, height),
      editsAt: (height) => state.edits(height),
      toView: (view) => this.#toView(view),
      pending,
    })
    const { watchedCalls, reverts } = dependencies
    const again = executeAgain(executor, reverts)
    this.executor =
      watchedCalls === undefined ? again : watchCalls(again, watchedCalls.watch, watchedCalls.listeners)
    this.#pending = new PendingBlocks({ ...dependencies, executor })
    const traces = new NodeTraces(options.traces, {
      workers: dependencies.traceWorkers,
      resolve: (ref) => this.blocks.resolve(ref),
      hashAt: (height) => blocks.blockHashAt(height) ?? assertNotPruned(blocks, height),
      isHead,
      locate: (hash) => this.blocks.locate(hash),
      transactionCount: (height) => blocks.transactionCount(height) ?? assertNotPruned(blocks, height),
    })
    this.traces = filterBelowFork(traceAgain(traces, reverts), currentFork)
    const fees = new FeeOracle(
      { config: options.config, historyCap: options.feeHistoryCap },
      {
        blocks,
        rules: createEthereumFeeRules(options.config, options.minimumGasPrice, (header) =>
          header.number === dependencies.head().header.number
            ? dependencies.nextBlock.overrides.baseFee
            : undefined,
        ),
        head: dependencies.head,
        resolve: (ref) => this.blocks.resolve(ref),
        pending: async () => (await pending()).preview,
      },
    )
    this.fees = historyBelowFork(historyAgain(fees, reverts), {
      fork: currentFork,
      head: () => this.head().number,
      resolve: (ref) => this.blocks.resolve(ref),
    })
    this.network = dependencies.network
    this.control = dependencies.control
    this.dev = dependencies.dev
    this.cosmos = dependencies.cosmos
  }

  head(): Head {
    const { header, hash } = this.#dependencies.head()
    return { number: Number(header.number), hash, time: Number(header.timestamp) }
  }

  isModified(): boolean {
    return this.#dependencies.blocks.meta.modifiedFrom() !== undefined
  }

  retention(): Retention {
    const { state, blocks } = this.#dependencies
    return {
      oldestState: state.oldest ?? 0,
      retainedStates: this.#options.retainedStates,
      oldestBlock: blocks.oldestComplete(),
      retainedBlocks: this.#options.retainedBlocks,
    }
  }

  changedAccounts(from: number, to: number): readonly Uint8Array[] {
    const { state } = this.#dependencies
    const oldest = state.oldest ?? 0
    if (from < oldest) throw statePrunedError(from, oldest)
    return state.changedAccounts(from, to)
  }

  state(at: BlockRef): StateView | Promise<StateView> {
    const number = this.blocks.resolve(at)
    if (number === 'pending') return this.#pending.get().then(({ state }) => this.#toView(state))
    if (number === undefined) throw headerNotFound()
    return this.#toView(openStateView(this.#dependencies.state, number))
  }

  get fork(): ChainFork | undefined {
    return this.#dependencies.fork?.current
  }

  /** Returns the view of a state as it is handed out. */
  #toView(view: StateView): StateView {
    const { fork } = this.#dependencies
    return fork?.current === undefined ? view : new ForkedStateView(view)
  }
}
