import type { BlockRef } from '../chain/blockRef.ts'
import type { ChainConfig } from '../chain/chainConfig.ts'
import { ChainError } from '../chain/chainError.ts'
import type {
  CallOutcome,
  Chain,
  Control,
  Executor,
  Head,
  Network,
  PendingBlock,
  Pool,
  StateView,
} from '../chain/port.ts'
import type { TransactionRequest } from '../chain/transactionRequest.ts'
import type { Machine } from '../evm/machine.ts'
import type { StateReader } from '../state/reader.ts'
import { type StateStore, UnknownHeightError } from '../state/store.ts'
import type { BlockReader as StoredBlocks } from '../store/blockReader.ts'
import type { ThreadHead } from './appThread.ts'
import { NodeBlocks } from './nodeBlocks.ts'
import { runCall } from './nodeExecutor.ts'
import { NodeState } from './nodeState.ts'
import { createPendingBlock } from './pendingBlock.ts'
import { PendingState } from './pendingState.ts'
import type { BlockProducer } from './producer.ts'

export interface NodeChainOptions {
  readonly config: ChainConfig
  readonly coinbase: Uint8Array
  readonly gasCap: bigint
  readonly callTimeoutMs: number
}

export interface NodeChainDependencies {
  readonly state: StateStore
  readonly blocks: StoredBlocks
  readonly pool: Pool
  readonly poolVersion: () => number
  readonly producer: BlockProducer
  /** For calls on this thread. */
  readonly machine: Machine
  readonly head: () => ThreadHead
  readonly setHeadBack: (number: number) => Promise<void>
}

/** A pending block holds for one head and one content of the pool. */
interface Pending {
  readonly key: string
  readonly block: Promise<{ readonly block: PendingBlock; readonly state: PendingState }>
}

/** The port over a chain of our own. */
export class NodeChain implements Chain {
  readonly config: ChainConfig
  readonly blocks: NodeBlocks
  readonly pool: Pool
  readonly executor: Executor
  readonly network: Network
  readonly control: Control
  readonly #options: NodeChainOptions
  readonly #dependencies: NodeChainDependencies
  #pending: Pending | undefined

  constructor(options: NodeChainOptions, dependencies: NodeChainDependencies) {
    this.config = options.config
    this.pool = dependencies.pool
    this.#options = options
    this.#dependencies = dependencies
    this.blocks = new NodeBlocks(dependencies.blocks, {
      headNumber: () => this.head().number,
      pending: async () => (await this.#pendingBlock()).block,
    })
    this.executor = {
      call: (request, at) => this.#call(request, at),
      stateBefore: () => {
        throw new ChainError(
          'unsupported',
          'states within a block are not served yet: ask for those around it',
        )
      },
    }
    this.network = {
      isListening: true,
      peerCount: () => 0,
      syncing: () => undefined,
      coinbase: () => options.coinbase,
      suggestTip: () => suggestedTip,
    }
    this.control = { setHead: dependencies.setHeadBack }
  }

  head(): Head {
    const { header, hash } = this.#dependencies.head()
    return { number: Number(header.number), hash, time: Number(header.timestamp) }
  }

  state(at: BlockRef): StateView | Promise<StateView> {
    const number = this.blocks.resolve(at)
    if (number === 'pending') return this.#pendingBlock().then(({ state }) => state)
    return new NodeState(this.#reader(number))
  }

  #reader(number: number | undefined): StateReader {
    if (number === undefined) throw new ChainError('header not found', 'header not found')
    try {
      return this.#dependencies.state.reader(number)
    } catch (error) {
      if (!(error instanceof UnknownHeightError)) throw error
      throw new ChainError(
        'state pruned',
        `the state of block ${number} is not kept: ${error.oldest ?? 'none'} is the earliest`,
      )
    }
  }

  #call(request: TransactionRequest, at: BlockRef): CallOutcome {
    const { machine, blocks } = this.#dependencies
    const resolved = this.blocks.resolve(at)
    const number = resolved === 'pending' ? this.head().number : resolved
    const world = this.#reader(number)
    const header = blocks.header(world.height)
    if (header === undefined) throw new ChainError('header not found', 'header not found')
    const blockHash = (height: bigint): Uint8Array => blocks.blockHashAt(Number(height)) ?? new Uint8Array(32)
    const { gasCap, callTimeoutMs } = this.#options
    return runCall(machine, this.config, { header, world, blockHash }, request, {
      gasCap,
      timeoutMs: callTimeoutMs,
    })
  }

  /** Built once for each head and content of the pool, when somebody asks. */
  #pendingBlock(): Pending['block'] {
    const key = `${this.head().number} ${this.#dependencies.poolVersion()}`
    if (this.#pending?.key !== key) this.#pending = { key, block: this.#buildPending() }
    return this.#pending.block
  }

  async #buildPending() {
    const below = this.#dependencies.state.reader(this.head().number)
    const { preview, transactions } = await this.#dependencies.producer.preview()
    return {
      block: createPendingBlock(preview, transactions),
      state: new PendingState(below, preview.changes),
    }
  }
}

/** A gwei: what wallets expect where blocks are far from full. */
const suggestedTip = 1_000_000_000n
