import { headerNotFound, unavailable, unsupported } from '../chain/chainError.ts'
import type { ChainConfig } from '../chain/config/chainConfig.ts'
import type { BlockRef } from '../chain/port/blockRef.ts'
import type { Chain, Head, Retention } from '../chain/port/chain.ts'
import type { ChainControl } from '../chain/port/control.ts'
import type { CosmosView } from '../chain/port/cosmos.ts'
import type { Events } from '../chain/port/events.ts'
import type { Executor } from '../chain/port/executor.ts'
import type { Fees } from '../chain/port/fees.ts'
import type { Network } from '../chain/port/network.ts'
import type { Pool } from '../chain/port/pool.ts'
import type { StateView } from '../chain/port/state.ts'
import type { Tracing } from '../chain/port/traces.ts'
import type { ChainTrust } from '../chain/port/trust.ts'
import type { RemoteBackend } from '../families/remote.ts'
import { FeeOracle } from '../served/feeOracle.ts'
import { StoredBlockReader } from '../served/storedBlockReader.ts'
import { StoredLogReader } from '../served/storedLogReader.ts'
import type { BlockStoreReader as StoredBlocks } from '../store/blockStoreReader.ts'
import type { UntakenBlock } from './follow/followOptions.ts'
import { latestAsPending } from './latestAsPending.ts'
import type { Lie } from './trust/lieLog.ts'

const rejectedError = (message: string) => async (): Promise<never> => {
  throw unsupported(message)
}

/** The control of a chain that other nodes run: every operation is rejected. */
const gatewayControl: ChainControl = {
  setHead: rejectedError('a gateway follows the chain behind it: its head is that of the chain'),
  setCoinbase: rejectedError('a gateway proposes no blocks: rewards are set at the validators of the chain'),
  addPeer: rejectedError('a gateway is not a peer of the chain: peers are added at the nodes of the chain'),
  removePeer: rejectedError(
    'a gateway is not a peer of the chain: peers are removed at the nodes of the chain',
  ),
}

export interface GatewayChainOptions {
  readonly config: ChainConfig
  readonly feeHistoryCap: number
  /** The number of retained blocks, at least; undefined if all are retained. */
  readonly retainedBlocks: number | undefined
  /** Whether headers are proven by signatures. */
  readonly isVerified: boolean
}

export interface GatewayChainDependencies {
  readonly blocks: StoredBlocks
  readonly headNumber: () => number
  /** Returns the block that cannot be taken; undefined if there is none. */
  readonly untaken: () => UntakenBlock | undefined
  /** Returns the lies that nodes told. */
  readonly lies: () => readonly Lie[]
  /** What proves values of states; undefined if they are believed. */
  readonly stateProofs?: ChainTrust['stateProofs']
  readonly pool: Pool
  readonly network: Network
  readonly events: Events
  readonly cosmos: CosmosView
  /** Creates the backend, which needs the stored blocks of this chain. */
  readonly remote: (served: Pick<StoredBlockReader, 'resolve' | 'locate'>) => RemoteBackend
}

/**
 * The port over a chain that other nodes run: blocks come from the local store, everything else is queried at a fixed
 * height.
 */
export class GatewayChain implements Chain {
  readonly mode = 'gateway'
  readonly config: ChainConfig
  readonly blocks: StoredBlockReader
  readonly logs: StoredLogReader
  readonly pool: Pool
  readonly executor: Executor
  readonly traces: Tracing
  readonly fees: Fees
  readonly network: Network
  readonly control: ChainControl = gatewayControl
  readonly events: Events
  readonly cosmos: CosmosView
  readonly #stored: StoredBlocks
  readonly #headNumber: () => number
  readonly #remote: RemoteBackend
  readonly #retainedBlocks: number | undefined
  readonly #isVerified: boolean
  readonly #lies: () => readonly Lie[]
  readonly #stateProofs: ChainTrust['stateProofs']

  constructor(options: GatewayChainOptions, dependencies: GatewayChainDependencies) {
    const { blocks, headNumber, untaken, pool, network, events, cosmos, remote } = dependencies
    this.config = options.config
    this.#retainedBlocks = options.retainedBlocks
    this.#isVerified = options.isVerified
    this.#lies = dependencies.lies
    this.#stateProofs = dependencies.stateProofs
    this.pool = pool
    this.network = network
    this.events = events
    this.cosmos = cosmos
    this.#stored = blocks
    this.#headNumber = headNumber
    this.blocks = new StoredBlockReader(blocks, {
      headNumber,
      pending: async () => latestAsPending(this.blocks, headNumber()),
      checkAboveHead: (number) => {
        const found = untaken()
        if (found && number >= BigInt(found.height))
          throw unavailable(`block ${found.height} could not be taken by this gateway: ${found.reason}`)
      },
    })
    this.logs = new StoredLogReader(blocks)
    const resolve = (ref: BlockRef) => this.blocks.resolve(ref)
    this.#remote = remote(this.blocks)
    this.executor = this.#remote.executor
    this.traces = this.#remote.traces
    this.fees = new FeeOracle(
      { config: options.config, historyCap: options.feeHistoryCap },
      {
        blocks,
        rules: this.#remote.feeRules,
        head: () => storedHead(blocks, headNumber()),
        resolve,
        pending: undefined,
      },
    )
  }

  head(): Head {
    const number = this.#headNumber()
    const { header, hash } = storedHead(this.#stored, number)
    return { number, hash, time: Number(header.timestamp) }
  }

  /** Nodes are not named: their addresses are the operator's, and the log and the file have them. */
  trust(): ChainTrust {
    const lies = this.#lies().map(({ time, kind, height, problem }) => ({
      time: Math.floor(time / 1_000),
      kind,
      block: height,
      problem,
    }))
    return { isVerified: this.#isVerified, stateProofs: this.#stateProofs, lies }
  }

  retention(): Retention {
    return {
      ...this.#remote.stateRetention(),
      oldestBlock: this.#stored.oldestComplete(),
      retainedBlocks: this.#retainedBlocks,
    }
  }

  /** Returns the state after a block. The height is fixed here, so that all reads are of the same block. */
  state(at: BlockRef): StateView {
    const found = this.blocks.resolve(at)
    const number = found === 'pending' ? this.#headNumber() : found
    if (number === undefined || this.blocks.hash(number) === undefined) throw headerNotFound()
    return this.#remote.stateAt(number)
  }
}

const storedHead = (blocks: StoredBlocks, number: number) => {
  const header = blocks.header(number)
  const hash = blocks.blockHashAt(number)
  if (header === undefined || hash === undefined) throw new Error(`the head ${number} is not in the store`)
  return { header, hash }
}
