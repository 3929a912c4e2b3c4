import type { BlockRef } from '../../chain/port/blockRef.ts'
import type { Retention } from '../../chain/port/chain.ts'
import type { Executor } from '../../chain/port/executor.ts'
import type { TransactionLocation } from '../../chain/port/location.ts'
import type { Network } from '../../chain/port/network.ts'
import type { StateView } from '../../chain/port/state.ts'
import type { Tracing } from '../../chain/port/traces.ts'
import type { FeeRules } from '../../served/feeOracle.ts'
import type { BlockStoreReader } from '../../store/blockStoreReader.ts'
import type { NativeQueryClient } from '../client/nativeQueryClient.ts'
import type { NativeBlockInfoReader } from '../follow/nativeBlockInfo.ts'
import type { ChainInfo } from './chainInfo.ts'
import type { Family } from './family.ts'

/** What a family answers by asking the chain's nodes. */
export interface RemoteBackend {
  readonly executor: Executor
  readonly traces: Tracing
  readonly feeRules: FeeRules
  /** After the block of a height. */
  stateAt(height: number): StateView
  /** Which states the nodes keep, as far as is known. */
  keptStates(): Pick<Retention, 'oldestState' | 'retainedStates'>
}

/** The settings of `[json-rpc]` that say what an answer of the nodes may take. Times are milliseconds, sizes bytes. */
export interface RemoteSettings {
  readonly gasCap: bigint
  readonly evmTimeout: number
  readonly traceTimeout: number
  readonly traceMaxSize: number
}

export interface RemoteOptions extends RemoteSettings {
  /** Milliseconds for one question to the nodes. */
  readonly queryTimeout: number
  /** In wei. */
  readonly minimumGasPrice: bigint
}

export interface RemoteDependencies {
  readonly queries: NativeQueryClient
  readonly facts: ChainInfo
  readonly family: Pick<Family, 'capabilities' | 'baseFeeScale' | 'messageLayout'>
  readonly blocks: BlockStoreReader
  readonly nativeFacts: NativeBlockInfoReader
  readonly headNumber: () => number
  readonly resolve: (ref: BlockRef) => number | 'pending' | undefined
  readonly locate: (transactionHash: Uint8Array) => TransactionLocation | undefined
}

/** A family's way to ask the nodes of one chain. */
export interface Remote {
  createBackend(options: RemoteOptions, dependencies: RemoteDependencies): RemoteBackend
  /** Returns the network with what this family's nodes tell of it; `network` is what CometBFT tells. */
  withNetworkFacts(network: Network, queries: NativeQueryClient): Network
  /** Hears of each new head. */
  onHead(): void
}
