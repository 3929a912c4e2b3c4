import type { LockWaitStats } from '../../base/profiling/lockWaitStats.ts'
import type { Chain } from '../../chain/port/chain.ts'
import type { ConsoleCall, FailedCall } from '../../chain/port/executor.ts'
import type { SharedFilters } from '../../chain/port/sharedFilters.ts'
import type { Config } from '../../config/settings/settings.ts'
import type { AheadStats } from '../../engine/application.ts'
import type { EngineStats } from '../../engine/metrics.ts'
import type { WorkerPoolStats } from '../../execute/workers/workerMetrics.ts'
import type { RemoteCounters } from '../../fork/remote/remoteClient.ts'
import type { LimitedKey } from '../../gateway/fleet/sharedKeys.ts'
import type { GatewayStats } from '../../gateway/metrics.ts'
import type { NodeKeys } from '../../keystore/nodeKeys.ts'
import type { HeadWitness } from '../../node/reading/headWitness.ts'
import type { DiskStats } from '../../node/writeGate.ts'
import type { PoolStats } from '../../pool/metrics.ts'
import type { Finding } from './findings.ts'

export interface ConsoleEvents {
  /** Returns the last block in which a contract called the console; undefined if none did since the start. */
  readonly block: () => number | undefined
  /**
   * Sets the function that is called for each call in which a contract calls the console or, if `isCertain` is false,
   * may do so.
   */
  readonly onCall: (listener: (used: ConsoleCall) => void) => void
  /** Sets the function that is called for each call and estimate that fails. */
  readonly onFailedCall: (listener: (failed: FailedCall) => void) => void
}

/** The store of a chain, as far as other processes that read it are concerned. */
export interface SharedStore {
  readonly dataFile: string
  readonly pruning: Config['pruning']
  readonly retainedBlocks: number | undefined
  readonly minimumGasPrice: bigint
  watchHead(witness: HeadWitness): void
  /** Frees what processes that were killed hold of the store. */
  clearStaleReaders(): void
}

/** An open chain, of a node or behind a gateway, and the accounts whose keys this process holds. */
export interface ServedChain {
  readonly chain: Chain
  /** Statistics of waits for locks. */
  readonly lockWaits: LockWaitStats
  /** The fields of the engine in the ready line. */
  readonly readyFields: Readonly<Record<string, string | number>>
  readonly keys: NodeKeys
  /** The text that is shown to the user who created this chain; undefined if it existed before. */
  readonly welcome: string | undefined
  /** Returns statistics of an engine outside of this process; undefined if there is none. */
  readonly engineStats: (() => EngineStats) | undefined
  /** Returns the number of blocks that were executed ahead of the decision of such an engine. */
  readonly aheadStats: () => AheadStats
  /** Reports blocks and calls in which contracts call the console; undefined for a chain that others run. */
  readonly console?: ConsoleEvents
  /** Returns statistics of the workers; undefined if calls are executed elsewhere. */
  readonly workerStats: (() => WorkerPoolStats) | undefined
  readonly poolStats: () => PoolStats
  /** Returns how much was asked of the remote of a forked chain; undefined if the chain cannot be forked. */
  readonly forkStats?: (() => RemoteCounters) | undefined
  /** Returns the state of the disk; undefined if it is not watched. */
  readonly diskStats?: () => DiskStats
  /** Returns statistics of the gateway; undefined for a node. */
  readonly gatewayStats: (() => GatewayStats) | undefined
  /** The filters that the gateways of a fleet share; undefined if this process is alone. */
  readonly sharedFilters?: SharedFilters | undefined
  /** Counts the API keys that have a rate over the gateways of a fleet from now on; undefined if this process is alone. */
  readonly shareKeys?: ((find: () => Iterable<LimitedKey>) => void) | undefined
  /** Whether the filters of HTTP clients outlast this process, in a file of the home. Defaults to false. */
  readonly keepsFilters?: boolean
  /** Returns false while the served data would be incomplete, because the upstream chain is not available yet. */
  readonly isReady: () => boolean
  /** Returns what keeps the chain from being written or followed; undefined if nothing does. */
  readonly findProblem: () => Finding | undefined
  /** Returns what an operator must fix while everything is served; undefined if nothing is known. */
  readonly findWarning?: () => string | undefined
  /** What other processes need to serve the same chain; undefined if they cannot. */
  readonly shared?: SharedStore | undefined
  /** Rejects the calls that would take long to answer, before the service is closed. */
  readonly stopCalls?: () => void
  close(): Promise<void>
}
