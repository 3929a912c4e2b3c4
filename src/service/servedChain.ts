import type { LockWaits } from '../base/profiling/lockWaits.ts'
import type { Chain } from '../chain/port/chain.ts'
import type { EngineCalls } from '../engine/metrics.ts'
import type { WorkerPoolStats } from '../execute/workers/metrics.ts'
import type { GatewayStats } from '../gateway/metrics.ts'
import type { NodeKeys } from '../keystore/nodeKeys.ts'
import type { PoolStats } from '../pool/metrics.ts'

/** A chain that is open, be it a node's or one behind a gateway, and the accounts that are signed for here. */
export interface ServedChain {
  readonly chain: Chain
  /** How long work waits for its turn. */
  readonly waits: LockWaits
  /** What programs that started this one need to know of the engine. */
  readonly facts: Readonly<Record<string, string | number>>
  readonly keys: NodeKeys
  /** What a person is told who began this chain; undefined where it was there before. */
  readonly welcome: string | undefined
  /** What an engine outside of this process asked; undefined where there is none. */
  readonly engineCalls: EngineCalls | undefined
  /** Undefined where calls run elsewhere. */
  readonly workerStats: (() => WorkerPoolStats) | undefined
  readonly poolStats: () => PoolStats
  /** Undefined where the chain runs here. */
  readonly gatewayStats: (() => GatewayStats) | undefined
  /** Returns false while what is served would not be whole: the chain behind is not there yet. */
  readonly isReady: () => boolean
  close(): Promise<void>
}
