import type { MaybePromise } from '../../base/async/maybePromise.ts'
import type { ChainConfig } from '../config/chainConfig.ts'
import type { BlockRef } from './blockRef.ts'
import type { BlockReader } from './blocks.ts'
import type { CallIndex } from './calls.ts'
import type { ChainControl } from './control.ts'
import type { CosmosView } from './cosmos.ts'
import type { DevControl } from './dev.ts'
import type { Events } from './events.ts'
import type { Executor } from './executor.ts'
import type { Fees } from './fees.ts'
import type { ChainFork } from './fork.ts'
import type { LogReader } from './logs.ts'
import type { Network } from './network.ts'
import type { Pool } from './pool.ts'
import type { StateView } from './state.ts'
import type { Tracing } from './traces.ts'
import type { ChainTrust } from './trust.ts'

/**
 * THE PORT: a chain as Ethereum sees it. Everything above it is the same for every chain; `node/` and
 * `gateway/` are its two adapters. Reads of the local store are synchronous; reads that may need another
 * process may return a promise. Methods throw a `ChainError` for requests that cannot be served.
 */
export interface Chain {
  readonly mode: ChainMode
  readonly config: ChainConfig
  readonly blocks: BlockReader
  readonly logs: LogReader
  readonly pool: Pool
  readonly executor: Executor
  readonly traces: Tracing
  /** The index of the addresses in calls; undefined if it is not kept. */
  readonly calls?: CallIndex | undefined
  readonly fees: Fees
  readonly network: Network
  readonly control: ChainControl
  /** The controls for development; undefined if the blocks of the chain are not made in this process. */
  readonly dev?: DevControl | undefined
  /** The remote chain that this one is forked from; undefined if it is not. */
  readonly fork?: ChainFork | undefined
  readonly events: Events
  /** The native side of the chain; undefined if the chain does not run on CometBFT. */
  readonly cosmos?: CosmosView | undefined
  head(): Head
  /** Returns whether the chain has what no rule of Ethereum gives: state or blocks that dev methods changed. */
  isModified?(): boolean
  /** Returns why a chain that others run is believed; undefined for one that is executed here. */
  trust?(): ChainTrust
  retention(): Retention
  /**
   * Returns the state after a block; `pending` is the state after the pending block. Throws `header not
   * found` or `state pruned`.
   */
  state(at: BlockRef): MaybePromise<StateView>
  /**
   * Returns the accounts that the blocks after `from` up to `to` changed; undefined where the chain does not tell. Throws
   * `state pruned`.
   */
  changedAccounts?(from: number, to: number): readonly Uint8Array[]
}

/** Where the blocks come from: this process, CometBFT, nowhere any more, or the nodes of somebody else's chain. */
export type ChainMode = 'embedded' | 'cometbft' | 'none' | 'gateway'

/** The newest block. */
export interface Head {
  readonly number: number
  readonly hash: Uint8Array
  /** Seconds since 1970. */
  readonly time: number
}

/** How far back blocks and states are kept. */
export interface Retention {
  readonly oldestState: number
  /** The number of states that are kept behind the head; undefined if all are kept. */
  readonly retainedStates: number | undefined
  /** The oldest block that is kept with its transactions, receipts and logs. */
  readonly oldestBlock: number
  /** The number of such blocks that are kept behind the head, at least; undefined if all are kept. */
  readonly retainedBlocks?: number | undefined
}
