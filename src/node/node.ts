import { join } from 'node:path'
import { LmdbEnvironment } from '../base/lmdb.ts'
import type { Logger } from '../base/log.ts'
import { noWaits, type WaitRecorder } from '../base/profiling/lockWaits.ts'
import { parseChainConfig } from '../chain/chainConfig.ts'
import type { Chain } from '../chain/port.ts'
import { SoloEngine } from '../engine/solo/soloEngine.ts'
import { createMachine } from '../evm/machine.ts'
import { loadModules } from '../evm/modules.ts'
import { precompilesAt } from '../evm/precompiles/table.ts'
import { PoolIntake } from '../pool/intake.ts'
import { Journal } from '../pool/journal.ts'
import { TransactionPool } from '../pool/pool.ts'
import { SenderRecovery } from '../pool/recovery.ts'
import { type BlobPolicy, defaultPoolSettings, type PoolSettings } from '../pool/types.ts'
import { type PruningMode, pruningModes } from '../state/prune.ts'
import { StateStore } from '../state/store.ts'
import { BlockReader } from '../store/blockReader.ts'
import type { GenesisSource } from './appService.ts'
import { AppThread, type ThreadHead } from './appThread.ts'
import { poolHeadOf, poolStateOf } from './headState.ts'
import { InclusionWaits } from './inclusion.ts'
import { createLoneControl, LoneNetwork } from './loneNetwork.ts'
import { NodeChain } from './nodeChain.ts'
import type { InlineLimits } from './nodeExecutor.ts'
import { NodePool } from './nodePool.ts'
import { countDrops, type PoolStats } from './poolMetrics.ts'
import { BlockProducer } from './producer.ts'
import { WorkerPool, type WorkerPoolOptions, type WorkerStats } from './workers/workerPool.ts'

export interface NodeOptions {
  /** The folder for the chain's data. */
  readonly dataFolder: string
  readonly genesis: GenesisSource
  readonly pruning: PruningMode
  /** False: what is there is served, and the pool only fills. */
  readonly makesBlocks: boolean
  /** Undefined: a block as soon as there is a transaction. */
  readonly blockTimeMs: number | undefined
  readonly createEmptyBlocks: boolean
  /** Receives the tips of the blocks that are made here. */
  readonly coinbase: Uint8Array
  readonly minimumGasPrice: bigint
  /** What the pool does differently from its defaults. */
  readonly pool?: Partial<PoolSettings>
  readonly gasCap: bigint
  /** What a call may take on the main thread, and where it goes on past that. */
  readonly inline: InlineLimits
  readonly workers: WorkerPoolOptions
  readonly feeHistoryCap: number
}

/** A node with a chain of its own. */
export interface Node {
  readonly chain: Chain
  /** The chain began with this start. */
  readonly isNew: boolean
  workerStats(): WorkerStats
  poolStats(): PoolStats
  close(): Promise<void>
}

/** How often the pool looks for transactions that have been queued for too long. */
const expiryMs = 60_000

/** Blobs come with proofs that nobody here checks yet, so they are not taken. */
const blobs: BlobPolicy = { accepted: false, refusal: 'blob transactions are not accepted by this node' }

/** Opens the chain of a folder, or begins one, and makes blocks in process. */
export const startNode = async (
  options: NodeOptions,
  log: Logger,
  waits: WaitRecorder = noWaits,
): Promise<Node> => {
  const path = join(options.dataFolder, 'chain.mdb')
  const app = new AppThread({ path, pruning: options.pruning, genesis: options.genesis })
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
  const workers = new WorkerPool(
    options.workers,
    { path, config: configText, gasCap: options.gasCap, modules },
    waits,
  )
  let world = state.reader(Number(head.header.number))

  const inclusions = new InclusionWaits()
  const pool = new TransactionPool(
    { ...defaultPoolSettings, ...options.pool, minimumGasPrice: options.minimumGasPrice },
    {
      state: poolStateOf(() => world),
      head: poolHeadOf(config, head.header, Math.floor(Date.now() / 1000)),
      blobs,
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

  const setHead = (next: ThreadHead): void => {
    environment.refresh()
    head = next
    world = state.reader(Number(next.header.number))
  }
  const producer = new BlockProducer(
    {
      config,
      coinbase: options.coinbase,
      minimumGasPrice: options.minimumGasPrice,
      isBeatBelowOneSecond: options.blockTimeMs !== undefined && options.blockTimeMs < 1000,
    },
    { app, pool, head: () => head, onHead: setHead, now: Date.now, log: log.part('node') },
  )
  const engine = new SoloEngine(options, {
    hasWork: () => producer.hasWork(),
    makeBlock: () => producer.makeBlock(),
    log: log.part('engine/solo'),
  })
  pool.events.on('pending', () => engine.wake())
  pool.events.on('dropped', ({ transaction }) => inclusions.settle(transaction.hash))

  const { restored } = await intake.restore()
  if (restored > 0) poolLog.info({ restored }, 'transactions of the journal are back in the pool')

  const nodePool = new NodePool({
    pool,
    intake,
    inclusions,
    locate: (hash) => blocks.placeOf(hash),
    isOnDemand: options.makesBlocks && engine.isOnDemand,
  })
  const setHeadBack = async (number: number): Promise<void> => {
    await engine.stop()
    try {
      setHead(await app.rollback(number))
      pool.reset(poolHeadOf(config, head.header, Math.floor(Date.now() / 1000)), [])
    } finally {
      if (options.makesBlocks) engine.start()
    }
  }
  const chain = new NodeChain(
    {
      config,
      gasCap: options.gasCap,
      inline: options.inline,
      minimumGasPrice: options.minimumGasPrice,
      feeHistoryCap: options.feeHistoryCap,
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
      head: () => head,
      network: new LoneNetwork({ blocks, producer }),
      control: createLoneControl({ makesBlocks: options.makesBlocks, producer, setHeadBack }),
    },
  )
  if (options.makesBlocks) engine.start()
  return {
    chain,
    isNew,
    workerStats: () => workers.stats(),
    poolStats,
    close: async () => {
      clearInterval(expiry)
      await engine.stop()
      await intake.close()
      await workers.close()
      await environment.close()
      await app.close()
    },
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
