import { rmSync } from 'node:fs'
import { join } from 'node:path'
import type { AppHead } from '../app/application.ts'
import type { Logger } from '../base/log.ts'
import { noWaits, type WaitRecorder } from '../base/profiling/lockWaits.ts'
import { ResourceStack } from '../base/resources.ts'
import type { GivenChain } from '../chain/genesis/conflicts.ts'
import type { Chain } from '../chain/port/chain.ts'
import type { PreparedEngine } from '../engine/engine.ts'
import type { EngineCalls } from '../engine/metrics.ts'
import {
  callWorkerOptions,
  type ExecutionSettings,
  inlineLimits,
  traceLimits,
  traceWorkerOptions,
} from '../execute/settings.ts'
import type { TraceLimits } from '../execute/trace/traces.ts'
import type { WorkerPoolStats } from '../execute/workers/metrics.ts'
import { poolStateOf } from '../pool/head.ts'
import type { PoolStats } from '../pool/metrics.ts'
import { defaultPoolSettings, type PoolSettings } from '../pool/types.ts'
import { ChainEvents } from '../served/chainEvents.ts'
import { type PruningMode, pruningModes } from '../state/prune.ts'
import type { GenesisSource } from './application/service.ts'
import { type HeadFollowers, HeadTracker } from './headTracker.ts'
import { NodeChain } from './nodeChain.ts'
import { NodePool } from './nodePool.ts'
import { openExecution } from './openExecution.ts'
import { openPool } from './openPool.ts'
import { openStore } from './openStore.ts'
import { BlockProducer } from './producer.ts'

export interface NodeOptions {
  /** The folder for the chain's data. */
  readonly dataFolder: string
  readonly genesis: GenesisSource
  /** What the operator says of the chain: one that the folder holds must be so. */
  readonly given?: GivenChain
  readonly pruning: PruningMode
  /** What orders transactions into blocks. */
  readonly engine: PreparedEngine
  /** Whether the index from addresses to transactions is kept. */
  readonly appearances: boolean
  /** Receives the tips of the blocks that are made here. */
  readonly coinbase: Uint8Array
  readonly minimumGasPrice: bigint
  /** What the pool does differently from its defaults. */
  readonly pool?: Partial<PoolSettings>
  /** The settings of `[json-rpc]` that execution and fees obey. */
  readonly jsonRpc: ExecutionSettings & { readonly feehistoryCap: number }
  readonly traceFolders: Pick<TraceLimits, 'folder' | 'spoolFolder'>
}

/** A node with a chain of its own. */
export interface Node {
  readonly chain: Chain
  /** What programs that started this one need to know of the engine. */
  readonly facts: Readonly<Record<string, string | number>>
  /** What the engine asked of the application; undefined for an engine within this process. */
  readonly engineCalls: EngineCalls | undefined
  /** The chain began with this start. */
  readonly isNew: boolean
  workerStats(): WorkerPoolStats
  poolStats(): PoolStats
  /** Resolves when everything is closed, however often it is called. */
  close(): Promise<void>
}

/** Opens the chain of a folder, or begins one, and starts its engine. Where that fails, everything is closed again. */
export const startNode = (options: NodeOptions, log: Logger, waits: WaitRecorder = noWaits): Promise<Node> =>
  ResourceStack.guard(
    (resources) => openNode(options, log, waits, resources),
    (error) => log.error({ err: error }, 'a node that did not start could not be closed'),
  )

const openNode = async (
  options: NodeOptions,
  log: Logger,
  waits: WaitRecorder,
  resources: ResourceStack,
): Promise<Node> => {
  const { dataFolder, pruning, appearances, genesis, given, minimumGasPrice, jsonRpc } = options
  const { gasCap } = jsonRpc
  const path = join(dataFolder, 'chain.mdb')
  const store = await openStore({ path, pruning, appearances, genesis, given }, resources)
  const { app, environment, state, blocks, config } = store
  const execution = await openExecution(
    {
      path,
      config: store.configText,
      gasCap,
      workers: callWorkerOptions(jsonRpc),
      traceWorkers: traceWorkerOptions(jsonRpc),
    },
    waits,
    resources,
  )
  // What a process that was killed left behind.
  rmSync(options.traceFolders.spoolFolder, { recursive: true, force: true })

  const tracker = new HeadTracker(store.head, { config, environment, state, now: Date.now })
  const { pool, intake, inclusions, stats } = await openPool(
    {
      settings: { ...defaultPoolSettings, ...options.pool, minimumGasPrice },
      blobs: options.engine.blobs,
      dataFolder,
    },
    { state: poolStateOf(() => tracker.world), head: tracker.poolHead(), log: log.part('pool') },
    resources,
  )
  const events = new ChainEvents({
    onPending: (listener) => pool.events.on('pending', listener),
    syncing: () => engine.network.syncing(),
    blocks,
  })
  const followers: HeadFollowers = { events, pool, rollback: (height) => app.rollback(height) }
  const head = (): AppHead => tracker.head
  const onHead = (next: AppHead): void => tracker.advance(next, followers)
  const producer = new BlockProducer(
    { config, coinbase: options.coinbase, minimumGasPrice, nextBlockTime: options.engine.nextBlockTime },
    { app, pool, head, onHead, now: Date.now, log: log.part('node') },
  )
  const engine = options.engine.create({
    config,
    dataFolder,
    dataFile: path,
    keptStates: pruningModes[pruning],
    minimumGasPrice,
    app,
    pool,
    intake,
    producer,
    blocks,
    state,
    head,
    onHead,
    onJump: (next) => tracker.jump(next, followers),
    rollbackTo: (height) => tracker.rollbackTo(height, followers),
    log: log.part('engine'),
  })
  const chain = new NodeChain(
    {
      config,
      gasCap,
      inline: inlineLimits(jsonRpc),
      minimumGasPrice,
      traces: traceLimits(jsonRpc, options.traceFolders),
      feeHistoryCap: jsonRpc.feehistoryCap,
      keptStates: pruning === 'archive' ? undefined : pruningModes[pruning],
    },
    {
      state,
      blocks,
      pool: new NodePool({
        pool,
        intake,
        inclusions,
        locate: (hash) => blocks.placeOf(hash),
        isOnDemand: engine.isOnDemand,
      }),
      poolVersion: () => pool.version,
      producer,
      ...execution,
      head,
      network: engine.network,
      control: engine.control,
      cosmos: engine.cosmos,
      events,
    },
  )
  resources.own('engine', () => engine.stop())
  await engine.start(chain)
  const { workers, traceWorkers } = execution
  return {
    chain,
    isNew: store.isNew,
    facts: engine.facts,
    engineCalls: engine.calls,
    workerStats: () => ({ call: workers.stats(), trace: traceWorkers.stats() }),
    poolStats: stats,
    close: () => resources.closeAll(),
  }
}
