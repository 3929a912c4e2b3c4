import type { MaybePromise } from '../../base/maybePromise.ts'
import type { ChainConfig } from '../config/chainConfig.ts'
import type { BlockRef } from './blockRef.ts'
import type { BlockReader } from './blocks.ts'
import type { Control } from './control.ts'
import type { CosmosView } from './cosmos.ts'
import type { Events } from './events.ts'
import type { Executor } from './executor.ts'
import type { Fees } from './fees.ts'
import type { LogReader } from './logs.ts'
import type { Network } from './network.ts'
import type { Pool } from './pool.ts'
import type { StateView } from './state.ts'
import type { Traces } from './traces.ts'

/**
 * THE PORT: a chain as Ethereum sees it. Everything above it is the same for every chain; `node/` and `gateway/` are its
 * two adapters. What is read from the local store is synchronous; what may have to be asked for elsewhere may be a
 * promise. A question that has no answer throws a `ChainError`.
 */
export interface Chain {
  readonly config: ChainConfig
  readonly blocks: BlockReader
  readonly logs: LogReader
  readonly pool: Pool
  readonly executor: Executor
  readonly traces: Traces
  readonly fees: Fees
  readonly network: Network
  readonly control: Control
  readonly events: Events
  /** Undefined where no CometBFT is behind the chain. */
  readonly cosmos?: CosmosView | undefined
  head(): Head
  retention(): Retention
  /** Throws `header not found` or `state pruned`. `pending` is the state after the pending block. */
  state(at: BlockRef): MaybePromise<StateView>
}

/** The newest block. */
export interface Head {
  readonly number: number
  readonly hash: Uint8Array
  /** Seconds since 1970. */
  readonly time: number
}

/** How far back the kept history goes. */
export interface Retention {
  readonly oldestState: number
  /** How many states are kept behind the head; undefined: all. */
  readonly keptStates: number | undefined
  /** The oldest block that is kept with its transactions, receipts and logs. */
  readonly oldestBlock: number
}
