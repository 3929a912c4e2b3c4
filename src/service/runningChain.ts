import type { LockWaits } from '../base/profiling/lockWaits.ts'
import type { Chain } from '../chain/port/port.ts'
import type { EngineCalls } from '../engine/metrics.ts'
import type { WorkerPoolStats } from '../execute/workers/metrics.ts'
import type { GatewayStats } from '../gateway/metrics.ts'
import type { NodeKeys } from '../keystore/nodeKeys.ts'
import type { PoolStats } from '../pool/metrics.ts'

/** A chain that runs, be it a node's own or one behind a gateway, and the accounts that are signed for here. */
export interface RunningChain {
  readonly chain: Chain
  /** How long work waits for its turn. */
  readonly waits: LockWaits
  /** Of what is behind the chain, for programs that started this one. */
  readonly facts: Readonly<Record<string, string | number>>
  readonly keys: NodeKeys
  /** What an engine outside of this process asked. */
  readonly engineCalls: EngineCalls | undefined
  /** Undefined where calls run elsewhere. */
  readonly workerStats: (() => WorkerPoolStats) | undefined
  readonly poolStats: () => PoolStats
  /** Undefined where the chain runs here. */
  readonly gatewayStats: (() => GatewayStats) | undefined
  /** False while what is served would not be whole: the chain behind is not there yet. */
  readonly isReady: () => boolean
  close(): Promise<void>
}
