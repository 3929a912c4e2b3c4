import { headerNotFound } from '../chain/chainError.ts'
import type { ChainConfig } from '../chain/config/chainConfig.ts'
import type { BlockRef } from '../chain/port/blockRef.ts'
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
import { ServedBlocks } from '../served/servedBlocks.ts'
import { ServedFees } from '../served/servedFees.ts'
import { ServedLogs } from '../served/servedLogs.ts'
import type { BlockReader as StoredBlocks } from '../store/blockReader.ts'
import type { RemoteBackend } from './families/remote.ts'
import { gatewayControl } from './gatewayControl.ts'
import { latestAsPending } from './state/latestAsPending.ts'

export interface GatewayChainOptions {
  readonly config: ChainConfig
  readonly feeHistoryCap: number
}

export interface GatewayChainDependencies {
  readonly blocks: StoredBlocks
  readonly headNumber: () => number
  readonly pool: Pool
  readonly network: Network
  readonly events: Events
  readonly cosmos: CosmosView
  /** Made with what the chain itself knows. */
  readonly remote: (served: Pick<ServedBlocks, 'resolve' | 'locate'>) => RemoteBackend
}

/** The port over a chain that others run: blocks from the local store, everything else asked for at a pinned height. */
export class GatewayChain implements Chain {
  readonly config: ChainConfig
  readonly blocks: ServedBlocks
  readonly logs: ServedLogs
  readonly pool: Pool
  readonly executor: Executor
  readonly traces: Traces
  readonly fees: Fees
  readonly network: Network
  readonly control: Control = gatewayControl
  readonly events: Events
  readonly cosmos: CosmosView
  readonly #stored: StoredBlocks
  readonly #headNumber: () => number
  readonly #remote: RemoteBackend

  constructor(options: GatewayChainOptions, dependencies: GatewayChainDependencies) {
    const { blocks, headNumber, pool, network, events, cosmos, remote } = dependencies
    this.config = options.config
    this.pool = pool
    this.network = network
    this.events = events
    this.cosmos = cosmos
    this.#stored = blocks
    this.#headNumber = headNumber
    this.blocks = new ServedBlocks(blocks, {
      headNumber,
      pending: async () => latestAsPending(this.blocks, headNumber()),
    })
    this.logs = new ServedLogs(blocks)
    const resolve = (ref: BlockRef) => this.blocks.resolve(ref)
    this.#remote = remote(this.blocks)
    this.executor = this.#remote.executor
    this.traces = this.#remote.traces
    this.fees = new ServedFees(
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

  retention(): Retention {
    return {
      ...this.#remote.keptStates(),
      oldestBlock: this.#stored.oldestWhole(),
    }
  }

  /** The height is fixed here: whatever is read from the state, it is that of one block. */
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
