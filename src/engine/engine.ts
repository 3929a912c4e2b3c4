import type { AppHead } from '../app/application.ts'
import type { Logger } from '../base/log.ts'
import type { ChainConfig } from '../chain/config/chainConfig.ts'
import type { JsonObject } from '../chain/config/gethJson.ts'
import type { Chain } from '../chain/port/chain.ts'
import type { Control } from '../chain/port/control.ts'
import type { CosmosView } from '../chain/port/cosmos.ts'
import type { Network } from '../chain/port/network.ts'
import type { PoolIntake } from '../pool/admission/intake.ts'
import type { TransactionPool } from '../pool/pool.ts'
import type { BlobPolicy } from '../pool/types.ts'
import type { StateStore } from '../state/store.ts'
import type { BlockReader } from '../store/blockReader.ts'
import type { EngineApplication, EngineProducer } from './application.ts'
import type { BlockTimeRule } from './blockTime.ts'
import type { EngineCalls } from './metrics.ts'

/** What orders transactions into blocks, as the rest of a node sees it. */
export interface Engine {
  readonly network: Network
  readonly control: Control
  /** Undefined for an engine within this process. */
  readonly cosmos: CosmosView | undefined
  /** Every transaction gets its block at once, so that its sender can wait for it. */
  readonly isOnDemand: boolean
  /** What a program that started this one needs to know of the engine, from its start on: `name=value` of the ready line. */
  readonly facts: Readonly<Record<string, string | number>>
  /** What the engine asked of the application; undefined for an engine within this process. */
  readonly calls: EngineCalls | undefined
  /**
   * Resolves when the node is in step with what the engine knows at its start. Questions that come through the engine
   * are answered from `chain`. Where it rejects, everything that it opened is closed.
   */
  start(chain: Chain): Promise<void>
  /** Resolves when the block under way, if any, is committed; no further one begins. It may be called more than once. */
  stop(): Promise<void>
}

/** What a node gives to its engine. */
export interface EngineContext {
  readonly config: ChainConfig
  /** The folder of the chain's data, in which an engine may keep a folder of its own. */
  readonly dataFolder: string
  /** The data file, for threads that read it. */
  readonly dataFile: string
  /** How many states are kept; infinite: all. */
  readonly keptStates: number
  /** The least price that the pool takes, in wei for a unit of gas. */
  readonly minimumGasPrice: bigint
  readonly app: EngineApplication
  readonly pool: TransactionPool
  readonly intake: PoolIntake
  readonly producer: EngineProducer
  readonly blocks: BlockReader
  readonly state: StateStore
  readonly head: () => AppHead
  /** To be called when the head moved: everybody reads from the new one on. */
  readonly onHead: (head: AppHead) => void
  /** To be called when the head is far from where it was: the blocks between are not there. */
  readonly onJump: (head: AppHead) => void
  /** Removes every block above the height. */
  readonly rollbackTo: (height: number) => Promise<void>
  readonly log: Logger
}

/** An engine that has all it needs but its node, and what the node does differently for it. */
export interface PreparedEngine {
  /** Whether the pool takes blob transactions. */
  readonly blobs: BlobPolicy
  readonly nextBlockTime: BlockTimeRule
  /** `config.perihelion` of a new chain's genesis, where the engine needs to be named there. */
  readonly genesisConfig: JsonObject | undefined
  /** Opens nothing: that is for `start`. */
  create(context: EngineContext): Engine
}

/** What an engine is told before there is a node. */
export interface EngineHost {
  /** The node's home, in which an engine may keep a folder of its own. */
  readonly home: string
  /** The address that receives the rewards of the blocks that this node proposes. */
  readonly coinbase: Uint8Array
  /** To be called when the engine is gone and will not come back: the node has to end. */
  readonly onFatal: (reason: string) => void
  readonly log: Logger
}

/** Makes an engine ready by what the operator set: writes and finds what it needs on this machine. */
export type EngineFactory<Settings> = (settings: Settings, host: EngineHost) => Promise<PreparedEngine>
