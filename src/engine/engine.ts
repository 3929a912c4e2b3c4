import type { Logger } from '../base/log.ts'
import type { ChainConfig } from '../chain/config/chainConfig.ts'
import type { CosmosView } from '../chain/port/cosmos.ts'
import type { Control, Network } from '../chain/port/port.ts'
import type { AppThread, ThreadHead } from '../node/application/thread.ts'
import type { BlockProducer } from '../node/producer.ts'
import type { PoolIntake } from '../pool/admission/intake.ts'
import type { TransactionPool } from '../pool/pool.ts'
import type { StateStore } from '../state/store.ts'
import type { BlockReader } from '../store/blockReader.ts'
import type { CometPlace } from './cometbft/cometEngine.ts'
import type { QueryHandler } from './cometbft/queries/queryHandler.ts'
import type { Snapshots } from './cometbft/snapshots/snapshots.ts'
import type { EngineCalls } from './metrics.ts'

/** Which engine orders transactions into blocks. */
export type EngineOptions =
  /** What is there is served, and the pool only fills. */
  | { readonly kind: 'none' }
  | {
      readonly kind: 'solo'
      /** Undefined: a block as soon as there is a transaction. */
      readonly blockTimeMs: number | undefined
      readonly createEmptyBlocks: boolean
    }
  | {
      readonly kind: 'cometbft'
      readonly place: CometPlace
      /** The engine is gone and will not come back. */
      readonly onFatal: (reason: string) => void
    }

/** The parts of a node that an engine works with. */
export interface DriverParts {
  readonly config: ChainConfig
  readonly app: AppThread
  readonly pool: TransactionPool
  readonly intake: PoolIntake
  readonly producer: BlockProducer
  readonly blocks: BlockReader
  readonly state: StateStore
  readonly head: () => ThreadHead
  /** The head moved: everybody reads from the new one on. */
  readonly onHead: (head: ThreadHead) => void
  /** The head is far from where it was: the blocks between are not there. */
  readonly onJump: (head: ThreadHead) => void
  readonly snapshots: Snapshots
  /** Every block above the height goes. */
  readonly takeBack: (number: number) => Promise<void>
  /** The engine may forget its blocks below; zero: it keeps all. */
  readonly retainHeight: () => bigint
  /** What is asked through the engine. */
  readonly query: QueryHandler
  readonly log: Logger
}

/** An engine, as the rest of the node sees it. */
export interface Driver {
  readonly network: Network
  readonly control: Control
  /** Undefined for an engine within this process. */
  readonly cosmos?: CosmosView
  /** Every transaction gets its block at once, so that its sender can wait for it. */
  readonly isOnDemand: boolean
  /** What a program that started this one needs to know of the engine; `name=value` of its ready line. */
  readonly facts: Readonly<Record<string, string | number>>
  /** What the engine asked of the application; undefined for an engine within this process. */
  readonly calls: EngineCalls | undefined
  /** Resolves when the node is in step with what the engine knows at its start. */
  start(): Promise<void>
  /** Resolves when the block under way, if any, is committed; no further one begins. */
  stop(): Promise<void>
}
