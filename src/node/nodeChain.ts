import type { AppHead } from '../app/application.ts'
import { toHex } from '../base/hex.ts'
import { headerNotFound } from '../chain/chainError.ts'
import type { ChainConfig } from '../chain/config/chainConfig.ts'
import type { BlockRef } from '../chain/port/blockRef.ts'
import type { PendingBlock } from '../chain/port/blocks.ts'
import type { Chain, Head, Retention } from '../chain/port/chain.ts'
import type { Control } from '../chain/port/control.ts'
import type { CosmosView } from '../chain/port/cosmos.ts'
import type { Events } from '../chain/port/events.ts'
import type { Executor } from '../chain/port/executor.ts'
import type { Fees } from '../chain/port/fees.ts'
import type { Network } from '../chain/port/network.ts'
import type { Pool } from '../chain/port/pool.ts'
import type { StateView } from '../chain/port/state.ts'
import type { Traces } from '../chain/port/traces.ts'
import type { Machine } from '../evm/machine.ts'
import { type InlineLimits, NodeExecutor } from '../execute/call/executor.ts'
import { readerAt, TaskRunner } from '../execute/call/runner.ts'
import { ChangedState } from '../execute/overlay/changedState.ts'
import { NodeState } from '../execute/overlay/storedState.ts'
import { NodeTraces, type TraceLimits } from '../execute/trace/traces.ts'
import type { WorkerPool } from '../execute/workers/workerPool.ts'
import { createEthereumFees } from '../served/ethereumFees.ts'
import { ifNotPruned } from '../served/ifNotPruned.ts'
import { ServedBlocks } from '../served/servedBlocks.ts'
import { ServedFees } from '../served/servedFees.ts'
import { ServedLogs } from '../served/servedLogs.ts'
import type { StateStore } from '../state/store.ts'
import type { BlockReader as StoredBlocks } from '../store/blockReader.ts'
import type { Preview } from './application/thread.ts'
import { createPendingBlock } from './pendingBlock.ts'
import type { BlockProducer } from './producer.ts'

export interface NodeChainOptions {
  readonly config: ChainConfig
  readonly gasCap: bigint
  /** What a call may take on this thread. */
  readonly inline: InlineLimits
  readonly minimumGasPrice: bigint
  readonly traces: TraceLimits
  readonly feeHistoryCap: number
  /** Undefined: all states are kept. */
  readonly keptStates: number | undefined
}

export interface NodeChainDependencies {
  readonly state: StateStore
  readonly blocks: StoredBlocks
  readonly pool: Pool
  readonly poolVersion: () => number
  readonly producer: BlockProducer
  /** For calls on this thread. */
  readonly machine: Machine
  /** For longer ones. */
  readonly workers: WorkerPool
  readonly traceWorkers: WorkerPool
  readonly head: () => AppHead
  readonly network: Network
  readonly control: Control
  readonly cosmos?: CosmosView | undefined
  readonly events: Events
}

/** A pending block holds for one head, one content of the pool and one proposer. */
interface Pending {
  readonly key: string
  readonly block: Promise<{
    readonly block: PendingBlock
    readonly state: ChangedState
    readonly preview: Preview
    /** The height below. */
    readonly parent: number
  }>
}

/** The port over a chain of our own. */
export class NodeChain implements Chain {
  readonly config: ChainConfig
  readonly blocks: ServedBlocks
  readonly logs: ServedLogs
  readonly pool: Pool
  readonly executor: Executor
  readonly traces: Traces
  readonly fees: Fees
  readonly network: Network
  readonly control: Control
  readonly cosmos: CosmosView | undefined
  readonly events: Events
  readonly #options: NodeChainOptions
  readonly #dependencies: NodeChainDependencies
  #pending: Pending | undefined

  constructor(options: NodeChainOptions, dependencies: NodeChainDependencies) {
    this.config = options.config
    this.pool = dependencies.pool
    this.events = dependencies.events
    this.#options = options
    this.#dependencies = dependencies
    this.blocks = new ServedBlocks(dependencies.blocks, {
      headNumber: () => this.head().number,
      pending: async () => (await this.#pendingBlock()).block,
    })
    this.logs = new ServedLogs(dependencies.blocks)
    const { state, blocks, machine, workers } = dependencies
    const pending = () => this.#pendingBlock()
    this.executor = new NodeExecutor(options.inline, {
      runner: new TaskRunner(options.gasCap, { config: options.config, state, blocks, machine }),
      workers,
      resolve: (ref) => this.blocks.resolve(ref),
      hashAt: (height) => blocks.blockHashAt(height) ?? ifNotPruned(blocks, height),
      headerRlp: (height) => blocks.headerRlp(height),
      transactionCount: (height) => blocks.transactionCount(height) ?? ifNotPruned(blocks, height),
      stateAt: (height) => readerAt(state, height),
      pending,
    })
    this.traces = new NodeTraces(options.traces, {
      workers: dependencies.traceWorkers,
      resolve: (ref) => this.blocks.resolve(ref),
      hashAt: (height) => blocks.blockHashAt(height) ?? ifNotPruned(blocks, height),
      locate: (hash) => this.blocks.locate(hash),
      transactionCount: (height) => this.blocks.transactionCount(height),
    })
    this.fees = new ServedFees(
      { config: options.config, historyCap: options.feeHistoryCap },
      {
        blocks,
        rules: createEthereumFees(options.config, options.minimumGasPrice),
        head: dependencies.head,
        resolve: (ref) => this.blocks.resolve(ref),
        pending: async () => (await pending()).preview,
      },
    )
    this.network = dependencies.network
    this.control = dependencies.control
    this.cosmos = dependencies.cosmos
  }

  head(): Head {
    const { header, hash } = this.#dependencies.head()
    return { number: Number(header.number), hash, time: Number(header.timestamp) }
  }

  retention(): Retention {
    const { state, blocks } = this.#dependencies
    return {
      oldestState: state.oldest ?? 0,
      keptStates: this.#options.keptStates,
      oldestBlock: blocks.oldestWhole(),
    }
  }

  state(at: BlockRef): StateView | Promise<StateView> {
    const number = this.blocks.resolve(at)
    if (number === 'pending') return this.#pendingBlock().then(({ state }) => state)
    if (number === undefined) throw headerNotFound()
    return new NodeState(readerAt(this.#dependencies.state, number))
  }

  /** Built once for each head, content of the pool and proposer, when somebody asks. */
  #pendingBlock(): Pending['block'] {
    const { poolVersion, producer } = this.#dependencies
    const key = `${this.head().number} ${poolVersion()} ${toHex(producer.coinbase)}`
    if (this.#pending?.key !== key) this.#pending = { key, block: this.#buildPending() }
    return this.#pending.block
  }

  async #buildPending() {
    const parent = this.head().number
    const below = this.#dependencies.state.reader(parent)
    const { preview, transactions } = await this.#dependencies.producer.preview()
    return {
      block: createPendingBlock(preview, transactions),
      state: new ChangedState(below, preview.changes),
      preview,
      parent,
    }
  }
}
