import type { AppHead } from '../app/appHead.ts'
import type { RollbackOptions } from '../app/application.ts'
import type { ExitError } from '../base/exit.ts'
import type { Logger } from '../base/logging/log.ts'
import type { JsonObject } from '../chain/config/gethJson.ts'
import type { LiveChainConfig } from '../chain/config/liveConfig.ts'
import type { Chain, ChainMode } from '../chain/port/chain.ts'
import type { ChainControl } from '../chain/port/control.ts'
import type { CosmosView } from '../chain/port/cosmos.ts'
import type { DevControl } from '../chain/port/dev.ts'
import type { ResetTarget } from '../chain/port/fork.ts'
import type { Network } from '../chain/port/network.ts'
import type { AccountEdit } from '../chain/state/accountEdit.ts'
import type { TransactionSubmitter } from '../pool/admission/transactionSubmitter.ts'
import type { TransactionPool } from '../pool/pool.ts'
import type { BlobPolicy, PoolHead } from '../pool/types.ts'
import type { StateStore } from '../state/stateStore.ts'
import type { BlockStoreReader } from '../store/blockStoreReader.ts'
import type { DevRecord } from '../store/tables/chainMeta.ts'
import type { EngineApplication, EngineProducer } from './application.ts'
import type { BlockTimeRule } from './blocks/blockTime.ts'
import type { NextBlock } from './blocks/nextBlock.ts'
import type { EngineStats } from './metrics.ts'

/** The engine, which orders transactions into blocks, as the other parts of a node use it. */
export interface Engine {
  readonly network: Network
  readonly control: ChainControl
  /** The controls for development; undefined for an engine whose blocks are not made here. */
  readonly dev?: DevControl | undefined
  /** The native view of the chain; undefined for an engine in this process. */
  readonly cosmos: CosmosView | undefined
  /** Whether every transaction gets a block at once now, so that its client can wait for it. */
  readonly isInstantSeal: boolean
  /** The fields of the engine in the ready line, complete once it has started. */
  readonly readyFields: Readonly<Record<string, string | number>>
  /** Returns statistics of the engine; undefined for an engine in this process. */
  readonly stats: (() => EngineStats) | undefined
  /**
   * Starts the engine. Resolves when the node has all blocks that the engine knows at its start. Queries that come
   * through the engine are answered from `chain`. If it rejects, everything that it opened is closed.
   */
  start(chain: Chain): Promise<void>
  /**
   * Stops the engine. Resolves when the current block, if any, is committed; no further block is produced. It may be
   * called more than once.
   */
  stop(): Promise<void>
}

/** The parts and values of a node that its engine uses. */
export interface EngineContext {
  readonly config: LiveChainConfig
  /** Whether the chain outlives the process. */
  readonly isKept: boolean
  /** The folder of the chain's data, in which an engine may have a subfolder. */
  readonly dataFolder: string
  /** The path of the data file, for threads that read it. */
  readonly dataFile: string
  /** The number of retained states; infinite if all. */
  readonly retainedStates: number
  /** How many of the newest blocks are kept with their bodies, at least; undefined if all are. */
  readonly retainedBlocks: number | undefined
  /** The minimum gas price of the pool in wei. */
  readonly minimumGasPrice: bigint
  readonly app: EngineApplication
  readonly pool: TransactionPool
  readonly intake: TransactionSubmitter
  readonly producer: EngineProducer
  readonly blocks: BlockStoreReader
  readonly state: StateStore
  readonly head: () => AppHead
  /** Returns the rules and prices of the next block after the head, for the pool. */
  readonly poolHead: () => PoolHead
  /** To be called when the head has moved. */
  readonly onHead: (head: AppHead) => void
  /** To be called when the head has jumped; the blocks between are not stored. */
  readonly onJump: (head: AppHead) => void
  /** Reverts every block above the height. */
  readonly rollbackTo: (height: number, options?: RollbackOptions) => Promise<void>
  /**
   * Prepares another chain in the place of this one: of its own, or forked from a remote one, which is asked. If it
   * rejects, or the signal is aborted before it resolves, nothing has changed.
   */
  readonly prepareReset: (
    target: Exclude<ResetTarget, { readonly kind: 'start' }>,
    signal: AbortSignal,
  ) => Promise<PreparedReset>
  /** Gives the chain another chain id, from the next block on. */
  readonly setChainId: (chainId: bigint) => Promise<void>
  /** Changes accounts of the head from outside a block. */
  readonly edit: (edits: readonly AccountEdit[]) => Promise<void>
  /** Stores what dev methods set. */
  readonly saveDev: (record: DevRecord) => Promise<void>
  /** What clients of a dev chain set for the next block. */
  readonly nextBlock: NextBlock
  /** To be called when the rules of the next block changed, though the head did not. */
  readonly onRulesChanged: () => void
  /** Ends the wait of those whose transaction no block will hold for now. */
  readonly releaseWaiters: () => void
  /** Whether blocks can be written now. */
  readonly writes: EngineWrites
  readonly log: Logger
}

/** Another chain that can take the place of this one at once. */
export interface PreparedReset {
  /** Gives up what waits for the old remote, until the end: a block that does would hold the reset up. */
  leave(): void
  /** Begins it, while no block is made. */
  run(): Promise<void>
  /** To be called at the end, whether it has begun or not. */
  end(): Promise<void>
}

/** Whether blocks can be written: not while the disk is nearly full, nor after a commit failed. */
export interface EngineWrites {
  readonly isOpen: boolean
  /** Returns whether an error is that of a commit for which there was no space; no block is begun until there is. */
  closeForSpace(error: unknown): boolean
  /** Returns the error that a client gets for a write that failed. */
  explain(error: unknown): unknown
  /** Adds functions that are called when writing must stop and when it goes on. */
  on(onClose: () => void, onOpen: () => void): void
}

/** An engine that is ready to be created, and what the node does differently for it. */
export interface PreparedEngine {
  /** How the node describes itself to clients. */
  readonly mode: ChainMode
  /** Whether the pool accepts blob transactions. */
  readonly blobs: BlobPolicy
  readonly nextBlockTime: BlockTimeRule
  /** Whether blocks are made or decided here, so that the chain's rules must allow them. */
  readonly producesBlocks: boolean
  /** The `config.perihelion` of a new chain's genesis; undefined if the engine needs none. */
  readonly genesisConfig: JsonObject | undefined
  /** Throws an ExitError for the `config` of a genesis file that this engine cannot begin a chain with. */
  readonly checkGenesis?: (config: JsonObject) => void
  /** Creates the engine without opening anything; `start` does that. */
  create(context: EngineContext): Engine
}

/** The values that an engine needs before there is a node. */
export interface EngineHost {
  /** The node's home, in which an engine may have a subfolder. */
  readonly home: string
  /** The address that receives the tips of the blocks that this node proposes; undefined if the chain tells. */
  readonly coinbase: Uint8Array | undefined
  /** To be called when the engine has ended and cannot go on, so that the node must stop. */
  readonly onFatal: (error: ExitError) => void
  readonly log: Logger
}

/** Prepares an engine from the operator's settings: finds or creates the files that it needs on this computer. */
export type EngineFactory<Settings> = (settings: Settings, host: EngineHost) => Promise<PreparedEngine>
