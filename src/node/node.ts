import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { LmdbEnvironment } from '../base/lmdb.ts'
import type { Logger } from '../base/log.ts'
import { noWaits, type WaitRecorder } from '../base/profiling/lockWaits.ts'
import { parseChainConfig } from '../chain/config/chainConfig.ts'
import type { GivenChain } from '../chain/genesis/conflicts.ts'
import type { Chain } from '../chain/port/port.ts'
import { createCometDriver } from '../engine/cometbft/driver.ts'
import { createQueryHandler, defaultQueryOptions } from '../engine/cometbft/queries/queryHandler.ts'
import { createRetainHeight } from '../engine/cometbft/retainHeight.ts'
import { type SnapshotOptions, Snapshots } from '../engine/cometbft/snapshots/snapshots.ts'
import type { DriverParts, EngineOptions } from '../engine/engine.ts'
import type { EngineCalls } from '../engine/metrics.ts'
import { createSoloDriver } from '../engine/solo/driver.ts'
import { createMachine } from '../evm/machine.ts'
import { loadModules } from '../evm/modules.ts'
import { precompilesAt } from '../evm/precompiles/table.ts'
import {
  callWorkerOptions,
  type ExecutionSettings,
  inlineLimits,
  traceLimits,
  traceWorkerOptions,
} from '../execute/settings.ts'
import type { TraceLimits } from '../execute/trace/traces.ts'
import { WorkerPool, type WorkerStats } from '../execute/workers/workerPool.ts'
import { PoolIntake } from '../pool/admission/intake.ts'
import { poolHeadOf, poolStateOf } from '../pool/head.ts'
import { InclusionWaits } from '../pool/inclusion.ts'
import { Journal } from '../pool/journal.ts'
import { countDrops, type PoolStats } from '../pool/metrics.ts'
import { TransactionPool } from '../pool/pool.ts'
import { SenderRecovery } from '../pool/recovery/recovery.ts'
import { type BlobPolicy, defaultPoolSettings, type PoolSettings } from '../pool/types.ts'
import { ChainEvents } from '../served/chainEvents.ts'
import { type PruningMode, pruningModes } from '../state/prune.ts'
import { StateStore } from '../state/store.ts'
import { BlockReader } from '../store/blockReader.ts'
import type { GenesisSource } from './application/service.ts'
import { AppThread, type ThreadHead } from './application/thread.ts'
import { NodeChain } from './nodeChain.ts'
import { NodePool } from './nodePool.ts'
import { BlockProducer } from './producer.ts'

export interface NodeOptions {
  /** The folder for the chain's data. */
  readonly dataFolder: string
  readonly genesis: GenesisSource
  /** What the operator says of the chain: one that the folder holds must be so. */
  readonly given?: GivenChain
  readonly pruning: PruningMode
  readonly engine: EngineOptions
  /** Whether the index from addresses to transactions is kept. */
  readonly appearances: boolean
  /** Receives the tips of the blocks that are made here. */
  readonly coinbase: Uint8Array
  readonly minimumGasPrice: bigint
  /** What the pool does differently from its defaults. */
  readonly pool?: Partial<PoolSettings>
  /** The settings of `[json-rpc]` that this end obeys. */
  readonly jsonRpc: ExecutionSettings & { readonly feehistoryCap: number }
  readonly traceFolders: Pick<TraceLimits, 'folder' | 'spoolFolder'>
  /** How often a snapshot is taken for nodes that join (0: never), and how many are kept. */
  readonly snapshots: Pick<SnapshotOptions, 'interval' | 'keep'>
}

/** A node with a chain of its own. */
export interface Node {
  readonly chain: Chain
  /** Of the engine, for programs that started this one. */
  readonly facts: Readonly<Record<string, string | number>>
  /** What the engine asked of the application; undefined for an engine within this process. */
  readonly engineCalls: EngineCalls | undefined
  /** The chain began with this start. */
  readonly isNew: boolean
  workerStats(): WorkerStats
  poolStats(): PoolStats
  close(): Promise<void>
}

/** How often the pool looks for transactions that have been queued for too long. */
const expiryMs = 60_000

/** Between validators blocks travel without the blobs' sidecars, so that nobody could check them. */
const noBlobs: BlobPolicy = {
  accepted: false,
  refusal: 'blob transactions are not accepted: no sidecar travels with a block',
}

/** Opens the chain of a folder, or begins one, and makes blocks in process. */
export const startNode = async (
  options: NodeOptions,
  log: Logger,
  waits: WaitRecorder = noWaits,
): Promise<Node> => {
  const path = join(options.dataFolder, 'chain.mdb')
  const { pruning, appearances, genesis, given, jsonRpc } = options
  const app = new AppThread({ path, pruning, appearances, genesis, given })
  const { isNew, ...opened } = await openOrEnd(app)
  let head: ThreadHead = opened
  // After the thread has opened it, so that everything is there to be read.
  const environment = new LmdbEnvironment({ path, readOnly: true })
  const state = new StateStore(environment)
  const blocks = new BlockReader(environment)
  const configText = readConfig(blocks)
  const config = parseChainConfig(JSON.parse(configText))
  const modules = await loadModules()
  const machine = createMachine(modules, precompilesAt)
  const workerOptions = { path, config: configText, gasCap: jsonRpc.gasCap, modules }
  const workers = new WorkerPool(callWorkerOptions(jsonRpc), { ...workerOptions, isPatient: false }, waits)
  const traceWorkers = new WorkerPool(
    traceWorkerOptions(jsonRpc),
    { ...workerOptions, isPatient: true },
    waits,
  )
  // What a process that was killed left behind.
  rmSync(options.traceFolders.spoolFolder, { recursive: true, force: true })
  let world = state.reader(Number(head.header.number))

  const inclusions = new InclusionWaits()
  const pool = new TransactionPool(
    { ...defaultPoolSettings, ...options.pool, minimumGasPrice: options.minimumGasPrice },
    {
      state: poolStateOf(() => world),
      head: poolHeadOf(config, head.header, Math.floor(Date.now() / 1000)),
      blobs: options.engine.kind === 'cometbft' ? noBlobs : { accepted: true },
      now: () => performance.now(),
    },
  )
  const poolStats = countDrops(pool)
  // On demand no block may come for hours.
  const expiry = setInterval(() => pool.expire(), expiryMs)
  expiry.unref()
  const journal = new Journal(join(options.dataFolder, 'pool'))
  const poolLog = log.part('pool')
  const onJournalError = (error: unknown): void =>
    poolLog.error({ err: error }, 'the journal cannot be written')
  const intake = new PoolIntake({ pool, recovery: new SenderRecovery(), journal, onJournalError })

  const events = new ChainEvents({
    onPending: (listener) => pool.events.on('pending', listener),
    syncing: () => driver.network.syncing(),
    blocks,
  })
  const setHead = (next: ThreadHead): void => {
    const before = Number(head.header.number)
    environment.refresh()
    head = next
    world = state.reader(Number(next.header.number))
    events.grown(before, Number(next.header.number))
  }
  const jump = (next: ThreadHead): void => {
    environment.refresh()
    head = next
    const number = Number(next.header.number)
    world = state.reader(number)
    // Back at the first block there is nothing new to tell.
    if (number > 0) events.grown(number - 1, number)
    pool.reset(poolHeadOf(config, next.header, Math.floor(Date.now() / 1000)), [])
  }
  const takeBack = async (number: number): Promise<void> => {
    const tell = await events.takeBack(Number(head.header.number), number)
    setHead(await app.rollback(number))
    tell()
    pool.reset(poolHeadOf(config, head.header, Math.floor(Date.now() / 1000)), [])
  }
  const producer = new BlockProducer(
    {
      config,
      coinbase: options.coinbase,
      minimumGasPrice: options.minimumGasPrice,
      isBeatBelowOneSecond: options.engine.kind === 'solo' && (options.engine.blockTimeMs ?? 1000) < 1000,
    },
    { app, pool, head: () => head, onHead: setHead, now: Date.now, log: log.part('node') },
  )
  pool.events.on('dropped', ({ transaction }) => inclusions.settle(transaction.hash))

  const { restored } = await intake.restore()
  if (restored > 0) poolLog.info({ restored }, 'transactions of the journal are back in the pool')

  /** Once it is there: the engine may ask before. */
  let served: NodeChain | undefined
  const { minimumGasPrice } = options
  const snapshots = new Snapshots(
    { ...options.snapshots, folder: join(options.dataFolder, 'snapshots'), path },
    { blocks, log: log.part('snapshots') },
  )
  const retainHeight = createRetainHeight(
    { keptStates: pruningModes[options.pruning] },
    {
      head: () => ({ number: Number(head.header.number), time: head.header.timestamp }),
      timeAt: (height) => blocks.header(height)?.timestamp,
      oldestSnapshot: () => snapshots.oldestHeight(),
    },
  )
  const parts: DriverParts = {
    config,
    app,
    pool,
    intake,
    producer,
    blocks,
    state,
    head: () => head,
    onHead: setHead,
    onJump: jump,
    snapshots,
    takeBack,
    query: createQueryHandler(
      defaultQueryOptions,
      () => served && { chain: served, minimumGasPrice },
      log.part('engine'),
    ),
    retainHeight: () => BigInt(retainHeight()),
    log: log.part('engine'),
  }
  const driver =
    options.engine.kind === 'cometbft'
      ? await createCometDriver(options.engine, parts)
      : createSoloDriver(options.engine, parts)
  const nodePool = new NodePool({
    pool,
    intake,
    inclusions,
    locate: (hash) => blocks.placeOf(hash),
    isOnDemand: driver.isOnDemand,
  })
  const chain = new NodeChain(
    {
      config,
      gasCap: jsonRpc.gasCap,
      inline: inlineLimits(jsonRpc),
      minimumGasPrice: options.minimumGasPrice,
      traces: traceLimits(jsonRpc, options.traceFolders),
      feeHistoryCap: jsonRpc.feehistoryCap,
      keptStates: options.pruning === 'archive' ? undefined : pruningModes[options.pruning],
    },
    {
      state,
      blocks,
      pool: nodePool,
      poolVersion: () => pool.version,
      producer,
      machine,
      workers,
      traceWorkers,
      head: () => head,
      network: driver.network,
      control: driver.control,
      cosmos: driver.cosmos,
      events,
    },
  )
  served = chain
  const close = async (): Promise<void> => {
    clearInterval(expiry)
    await driver.stop()
    await snapshots.close()
    await intake.close()
    await workers.close()
    await traceWorkers.close()
    await environment.close()
    await app.close()
  }
  try {
    await driver.start()
  } catch (error) {
    // Its threads would keep the process alive.
    await close()
    throw error
  }
  return {
    chain,
    isNew,
    facts: driver.facts,
    engineCalls: driver.calls,
    workerStats: () => workers.stats(),
    poolStats,
    close,
  }
}

const readConfig = (blocks: BlockReader): string => {
  const text = blocks.meta.config()
  if (text === undefined) throw new Error('the chain has no configuration')
  return text
}

/** A thread that could not open the chain would keep the process alive. */
const openOrEnd = async (app: AppThread): ReturnType<AppThread['open']> => {
  try {
    return await app.open()
  } catch (error) {
    await app.terminate()
    throw error
  }
}
