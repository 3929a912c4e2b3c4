import type { Worker } from 'node:worker_threads'
import type { GivenChain } from '../../chain/genesis/conflicts.ts'
import type { PreparedEngine } from '../../engine/engine.ts'
import { type EvmModules, loadEvmModules } from '../../evm/host/evmModules.ts'
import { returnEvm, takeEvm } from '../../evm/spareEvms.ts'
import type { ExecutionSettings } from '../../execute/executionSettings.ts'
import type { TraceLimits } from '../../execute/nodeTraces.ts'
import { defaultRecoverySettings, type RecoverySettings } from '../../pool/recovery/senderRecovery.ts'
import type { PoolSettings } from '../../pool/types.ts'
import type { PruningMode } from '../../state/history/prune.ts'
import type { AppOptions, GenesisSource } from '../application/service.ts'
import { AppThread } from '../application/thread.ts'
import type { NodeForkOptions } from '../fork/forkHost.ts'

export interface NodeOptions {
  /** The folder for the chain's data. */
  readonly dataFolder: string
  /** Whether the folder is removed at the end. */
  readonly isEphemeral: boolean
  /** Whether blocks are made on the thread of the node, in which everything else then waits. Defaults to false. */
  readonly isSingleThreaded?: boolean
  /** The free space below which nothing is written; 0 for no limit. */
  readonly minFreeBytes: number
  /** Called with the reason when a commit failed: the node must be closed, and may then be opened again. */
  readonly onCommitFailed: (reason: string) => void
  readonly genesis: GenesisSource
  /** What the operator expects of the chain. A chain in the folder that differs is not opened. */
  readonly given?: GivenChain
  /** What is written about the home before its first block, or before the next one; undefined if nothing is. */
  readonly record?: AppOptions['record']
  readonly pruning: PruningMode
  /** How many of the newest blocks are kept with their bodies, at least; all by default. */
  readonly retainedBlocks?: number | undefined
  /** The engine, which orders transactions into blocks. */
  readonly engine: PreparedEngine
  /** Whether the index from addresses to transactions is maintained. */
  readonly appearances: boolean
  /** Whether the index from addresses to the calls that they have a part in is maintained; false by default. */
  readonly calls?: boolean
  /** The address that receives the tips of the blocks produced here; by default the one of the first block. */
  readonly coinbase: Uint8Array | undefined
  readonly minimumGasPrice: bigint
  /** Pool settings that differ from the defaults. */
  readonly pool?: Partial<PoolSettings>
  /** The settings of `[json-rpc]` that execution and fees use. */
  readonly jsonRpc: ExecutionSettings & { readonly feehistoryCap: number }
  readonly traceFolders: Pick<TraceLimits, 'folder' | 'spoolFolder' | 'minFreeBytes'>
  /** Whether blocks tell if contracts called the console. Defaults to false. */
  readonly watchesConsole?: boolean
  /** How the chain may be forked from a remote one; undefined if it cannot be. */
  readonly fork?: NodeForkOptions | undefined
}

/** Where the application runs. */
export interface ApplicationPlace {
  readonly isSingleThreaded: boolean
  /** The modules of the node's own thread. */
  readonly modules: Promise<EvmModules>
  /** Called with the thread, if it is another one. */
  readonly onWorker?: ((worker: Worker) => void) | undefined
}

/** What a node uses threads and time for. A simulation of many nodes on one thread has its own. */
export interface NodeParts {
  readonly startApplication: (options: AppOptions, place: ApplicationPlace) => AppThread
  readonly loadModules: () => Promise<EvmModules>
  readonly recovery: RecoverySettings
}

export const defaultParts: NodeParts = {
  startApplication: (options, { isSingleThreaded, modules, onWorker }) =>
    isSingleThreaded
      ? AppThread.startHere(options, async () => takeEvm(await modules), returnEvm)
      : AppThread.start(options, onWorker),
  loadModules: loadEvmModules,
  recovery: defaultRecoverySettings,
}

/** A decided block cannot be rejected, so that an engine of many nodes goes on until there is space for a few more only. */
const decidedShare = 1 / 8

/** Returns the free space below which no block is committed. */
export const commitLimit = ({ minFreeBytes, engine }: NodeOptions): number =>
  engine.mode === 'embedded' ? minFreeBytes : Math.ceil(minFreeBytes * decidedShare)
