import type { BlockRef } from '../chain/port/blockRef.ts'
import type { Retention } from '../chain/port/chain.ts'
import type { Executor } from '../chain/port/executor.ts'
import type { TransactionLocation } from '../chain/port/location.ts'
import type { Network } from '../chain/port/network.ts'
import type { StateView } from '../chain/port/state.ts'
import type { Tracing } from '../chain/port/traces.ts'
import type { NativeQueryClient } from '../comet/data/nativeQuery.ts'
import type { ChainInfo } from '../cosmos/chainInfo.ts'
import type { FeeRules } from '../served/feeOracle.ts'
import type { BlockStoreReader } from '../store/blockStoreReader.ts'
import type { NativeBlockInfoReader } from './convert/nativeBlockInfo.ts'
import type { FamilyTraits } from './traits.ts'

/** The parts of the port that a family implements by queries of the upstreams. */
export interface RemoteBackend {
  readonly executor: Executor
  readonly traces: Tracing
  readonly feeRules: FeeRules
  /** Returns the state after the block of a height. */
  stateAt(height: number): StateView
  /** Returns which states the upstreams keep, as far as it is known. */
  stateRetention(): Pick<Retention, 'oldestState' | 'retainedStates'>
}

/** The settings of `[json-rpc]` that limit calls and traces. Times are in milliseconds, sizes in bytes. */
export interface RemoteSettings {
  readonly gasCap: bigint
  readonly evmTimeout: number
  readonly traceTimeout: number
  readonly traceMaxSize: number
}

export interface RemoteOptions extends RemoteSettings {
  /** The timeout of one query, in milliseconds. */
  readonly queryTimeout: number
  /** The operator's minimum gas price, in wei. */
  readonly minimumGasPrice: bigint
}

export interface RemoteDependencies {
  readonly queries: NativeQueryClient
  /** The same without a cache, for what the upstreams have now. */
  readonly uncachedQueries: NativeQueryClient
  readonly chainInfo: ChainInfo
  readonly family: FamilyTraits
  readonly blocks: BlockStoreReader
  readonly nativeBlockInfo: NativeBlockInfoReader
  readonly headNumber: () => number
  readonly resolve: (ref: BlockRef) => number | 'pending' | undefined
  readonly locate: (transactionHash: Uint8Array) => TransactionLocation | undefined
}

/** The access of a family to the upstreams of one chain. */
export interface Remote {
  createBackend(options: RemoteOptions, dependencies: RemoteDependencies): RemoteBackend
  /**
   * Returns `network`, which CometBFT answers, with the responses of this family's nodes instead where they know more.
   */
  extendNetwork(network: Network, queries: NativeQueryClient): Network
  /** Called for each new head. */
  onHead(): void
}
