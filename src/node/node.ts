import { rmSync } from 'node:fs'
import { join } from 'node:path'
import type { AppHead } from '../app/appHead.ts'
import { retainedStates } from '../app/keptHistory.ts'
import type { Logger } from '../base/logging/log.ts'
import { type LockWaitRecorder, noopWaitRecorder } from '../base/profiling/lockWaitStats.ts'
import { ResourceStack } from '../base/resources.ts'
import { GenesisConflictError } from '../chain/genesis/conflicts.ts'
import type { Chain } from '../chain/port/chain.ts'
import type { ConsoleCall, FailedCall } from '../chain/port/executor.ts'
import type { RejectedSend } from '../chain/port/pool.ts'
import type { AheadStats } from '../engine/application.ts'
import { NextBlock } from '../engine/blocks/nextBlock.ts'
import type { EngineStats } from '../engine/metrics.ts'
import {
  callWorkerOptions,
  inlineLimits,
  traceLimits,
  traceWorkerOptions,
} from '../execute/executionSettings.ts'
import type { WorkerPoolStats } from '../execute/workers/workerMetrics.ts'
import type { RemoteCounters } from '../fork/remote/remoteClient.ts'
import { createPoolState } from '../pool/head.ts'
import type { PoolStats } from '../pool/metrics.ts'
import { defaultPoolSettings, type PoolHead } from '../pool/types.ts'
import { ChainEvents } from '../served/chainEvents.ts'
import { pruningModes } from '../state/history/prune.ts'
import { announceOlder } from '../store/tables/announceOlder.ts'
import { ConsoleWatch } from './calls/consoleWatch.ts'
import { ForkHost } from './fork/forkHost.ts'
import { ForkWatch } from './head/forkWatch.ts'
import { type HeadFollowers, HeadTracker } from './head/headTracker.ts'
import { NodeChain } from './nodeChain.ts'
import { NodePool } from './nodePool.ts'
import { announcePruning } from './opening/announcePruning.ts'
import { commitLimit, defaultParts, type NodeOptions, type NodeParts } from './opening/nodeOptions.ts'
import { openCallIndex } from './opening/openCallIndex.ts'
import { openExecution } from './opening/openExecution.ts'
import { openPool } from './opening/openPool.ts'
import { openStore } from './opening/openStore.ts'
import { startPruning } from './opening/startPruning.ts'
import { BlockProducer } from './producing/producer.ts'
import type { HeadWitness } from './reading/headWitness.ts'
import { createChainIdChange } from './reverting/chainIdChange.ts'
import { createReset } from './reverting/chainReset.ts'
import { RevertWatch } from './reverting/revertWatch.ts'
import { type DiskStats, WriteGate } from './writeGate.ts'

/** A node with a local chain. */
export interface Node {
  readonly chain: Chain
  /** The fields of the engine in the ready line. */
  readonly readyFields: Readonly<Record<string, string | number>>
  /** Returns statistics of the engine; undefined for an engine in this process. */
  readonly engineStats: (() => EngineStats) | undefined
  /** Returns the number of blocks that were executed ahead of the engine's decision. */
  aheadStats(): AheadStats
  /** Returns the last block in which a contract called the console; undefined if none did since the start. */
  consoleBlock(): number | undefined
  /** Sets the function that is called for each call on this thread in which a contract calls the console. */
  onConsoleCall(listener: (used: ConsoleCall) => void): void
  /** Sets the function that is called for each call and estimate that fails, on a dev chain. */
  onFailedCall(listener: (failed: FailedCall) => void): void
  /** Sets the function that is called for each transaction that was sent here and rejected. */
  onRejectedSend(listener: (rejected: RejectedSend) => void): void
  /** Whether the chain was created by this start. */
  readonly isNew: boolean
  workerStats(): WorkerPoolStats
  poolStats(): PoolStats
  /** Returns how much was asked of the remote chain; undefined if this chain cannot be forked. */
  readonly forkStats: (() => RemoteCounters) | undefined
  /**
   * Rejects the calls and traces that run or wait, what waits for the remote of a fork, and all later ones, because the
   * node is about to be closed. Waits for the block of a transaction end with its hash: a kept chain has it in its journal.
   */
  stopCalls(): void
  diskStats(): DiskStats
  /** The data file, for other processes that read it. */
  readonly dataFile: string
  /** Tells one witness of every change of the head, before anybody else learns of it. */
  watchHead(witness: HeadWitness): void
  /** Frees what processes that were killed hold of the data file. */
  clearStaleReaders(): void
  /** Returns why nothing is written now; undefined if everything is. */
  writeProblem(): string | undefined
  /** Closes the node. Resolves when everything is closed, however often it is called. */
  close(): Promise<void>
}

/** Opens the chain of a folder, or creates one, and starts its engine. If that fails, everything is closed again. */
export const startNode = (
  options: NodeOptions,
  log: Logger,
  lockWaits: LockWaitRecorder = noopWaitRecorder,
  parts: NodeParts = defaultParts,
): Promise<Node> =>
  ResourceStack.guard(
    (resources) => openNode(options, log, lockWaits, parts, resources),
    (error) => log.error({ err: error }, 'a node that did not start could not be closed'),
  )

const openNode = async (
  options: NodeOptions,
  log: Logger,
  waits: LockWaitRecorder,
  parts: NodeParts,
  resources: ResourceStack,
): Promise<Node> => {
  const {
    dataFolder,
    isEphemeral,
    pruning,
    appearances,
    genesis,
    given,
    minimumGasPrice,
    jsonRpc,
    minFreeBytes,
    isSingleThreaded = false,
  } = options
  const { gasCap } = jsonRpc
  const retained = retainedStates(pruning)
  const path = join(dataFolder, 'chain.mdb')
  const { producesBlocks } = options.engine
  // Beside the thread of the application, which needs the same.
  const modules = parts.loadModules()
  modules.catch(() => {})
  const fork = options.fork && (await ForkHost.open(options.fork, dataFolder))
  if (fork !== undefined) resources.own('remote of the fork', () => fork.close())
  if (fork?.current !== undefined && pruning !== 'archive')
    throw new GenesisConflictError(
      `pruning: got ${pruning}, wanted archive: the chain of this home is forked, and its record of deletions must be kept`,
    )
  const store = await openStore(
    {
      path,
      isChecked: fork?.isFileSound ?? false,
      isEphemeral,
      pruning,
      appearances,
      genesis: fork?.current === undefined ? genesis : fork.toGenesis(fork.current),
      fork: fork?.threadOptions,
      given,
      record: options.record,
      producesBlocks,
      minFreeBytes: commitLimit(options),
      watchesConsole: options.watchesConsole ?? false,
    },
    (app, onWorker) =>
      parts.startApplication(app, {
        // What waits for a remote chain may not be the thread that fetches its values.
        isSingleThreaded: isSingleThreaded && fork?.current === undefined,
        modules,
        onWorker,
      }),
    resources,
    fork,
  )
  const { app, environment, state, blocks, config } = store
  const writes = new WriteGate({ folder: dataFolder, minFreeBytes }, { log: log.component('node') })
  resources.own('watch of the disk', () => writes.stop())
  app.onCommitFailed = (reason) => {
    writes.closeForGood(reason)
    options.onCommitFailed(reason)
  }
  const execution = openExecution(
    {
      path,
      config: store.configText,
      gasCap,
      workers: callWorkerOptions(jsonRpc),
      traceWorkers: traceWorkerOptions(jsonRpc),
      modules: await modules,
      fork,
    },
    waits,
    resources,
  )
  // A process that was killed leaves its spool files.
  rmSync(options.traceFolders.spoolFolder, { recursive: true, force: true })

  const forks = new ForkWatch({
    config,
    findWarnings: async () => (producesBlocks ? app.findForkWarnings() : []),
    now: Date.now,
    log: log.component('node'),
  })
  const nextBlock = new NextBlock()
  const reverts = new RevertWatch()
  let witness: HeadWitness | undefined
  const tellWitness = (number = tracker.number): void => witness?.onMove(number, fork?.current !== undefined)
  const tracker = new HeadTracker(store.head, {
    forks,
    nextBlock,
    config,
    environment,
    state,
    nextBlockTime: options.engine.nextBlockTime,
    now: Date.now,
    onMove: ({ header }) => tellWitness(Number(header.number)),
  })
  const poolHead = (): PoolHead => tracker.poolHead()
  const { pool, intake, inclusions, stats } = await openPool(
    {
      settings: { ...defaultPoolSettings, ...options.pool, minimumGasPrice },
      blobs: options.engine.blobs,
      dataFolder,
      isEphemeral,
      recovery: parts.recovery,
      loadSender: fork && ((address) => fork.load([{ kind: 'account', address }])),
    },
    { state: createPoolState(() => tracker.state), head: poolHead(), log: log.component('pool') },
    resources,
  )
  writes.on(
    () => inclusions.settleAll(),
    () => {},
  )
  const events = new ChainEvents({
    onPending: (listener) => pool.events.on('pending', listener),
    syncing: () => engine.network.syncing(),
    blocks,
    onListenerError: (error) => log.error({ err: error }, 'a listener of the chain failed'),
  })
  const followers: HeadFollowers = {
    events,
    pool,
    rollback: async (height, rollback) => {
      await witness?.beforeRevert()
      intake.forgetIncluded()
      try {
        return await app.rollback(height, rollback)
      } catch (error) {
        tellWitness()
        throw error
      }
    },
  }
  const head = (): AppHead => tracker.head
  const onHead = (next: AppHead): void => tracker.advance(next, followers)
  const consoleWatch = options.watchesConsole === true ? new ConsoleWatch() : undefined
  let consoleBlock: number | undefined
  let onConsoleCall = (_used: ConsoleCall): void => {}
  let onFailedCall = (_failed: FailedCall): void => {}
  let onRejectedSend = (_rejected: RejectedSend): void => {}
  const producer = new BlockProducer(
    {
      config,
      coinbase: options.coinbase ?? blocks.header(blocks.meta.first())?.beneficiary ?? new Uint8Array(20),
      minimumGasPrice,
      nextBlockTime: options.engine.nextBlockTime,
    },
    {
      app,
      pool,
      head,
      onHead,
      onConsoleUsed: (number) => {
        consoleBlock = number
      },
      poolHead,
      nextBlock,
      onFailed: () => nodePool.releaseWaits(),
      onRefused: (hash, error) => nodePool.refuseWaits(hash, error),
      now: Date.now,
      log: log.component('node'),
    },
  )
  const engine = options.engine.create({
    config,
    isKept: !isEphemeral,
    dataFolder,
    dataFile: path,
    retainedStates: pruningModes[pruning],
    retainedBlocks: options.retainedBlocks,
    minimumGasPrice,
    app,
    pool,
    intake,
    producer,
    blocks,
    state,
    head,
    poolHead,
    onHead,
    onJump: (next) => tracker.jump(next, followers),
    rollbackTo: (height, rollback) => reverts.watch(() => tracker.rollbackTo(height, followers, rollback)),
    prepareReset: createReset({
      fork,
      genesis,
      pruning,
      app,
      environment,
      blocks,
      config,
      execution,
      intake,
      events,
      tracker,
      followers,
      reverts,
      witness: () => witness,
      tellWitness,
    }),
    setChainId: createChainIdChange({
      app,
      environment,
      config,
      execution,
      fork,
      tracker,
      followers,
      witness: () => witness,
    }),
    edit: async (edits) => {
      await app.edit(edits)
      tracker.refresh(
        edits.map(({ address }) => address),
        followers,
      )
      // What a nonce that is set made stale has left no mark, and another edit may take that nonce back.
      if (edits.some(({ nonce }) => nonce !== undefined)) intake.forgetIncluded()
    },
    // Nobody opens a chain again that is not kept.
    saveDev: async (record) => (isEphemeral ? undefined : app.saveDev(record)),
    nextBlock,
    onRulesChanged: () => pool.onHead(poolHead(), { included: [], changed: [] }),
    releaseWaiters: () => nodePool.recheckWaits(),
    writes,
    log: log.component('engine'),
  })
  const nodePool = new NodePool({
    pool,
    intake,
    inclusions,
    locate: (hash) => blocks.locate(hash),
    isNext: (transaction) => engine.isInstantSeal && pool.isIncludable(transaction, producer.prices()),
    writes,
    onRejected: (rejected) => onRejectedSend(rejected),
  })
  const calls = options.calls
    ? openCallIndex(
        { folder: dataFolder, isEphemeral, minFreeBytes, memoryBytes: jsonRpc.traceMemory },
        {
          workers: execution.traceWorkers,
          blocks,
          events,
          head: () => tracker.number,
          oldestState: () => state.oldest ?? 0,
          log: log.component('node'),
        },
        resources,
      )
    : undefined
  const chain = new NodeChain(
    {
      mode: options.engine.mode,
      config,
      gasCap,
      inline: inlineLimits(isSingleThreaded ? { inlineTime: soleClientInlineMs, ...jsonRpc } : jsonRpc),
      minimumGasPrice,
      traces: traceLimits(jsonRpc, options.traceFolders),
      feeHistoryCap: jsonRpc.feehistoryCap,
      retainedStates: retained,
      retainedBlocks: options.retainedBlocks,
    },
    {
      state,
      blocks,
      pool: nodePool,
      poolVersion: () => pool.version,
      producer,
      ...execution,
      evm: consoleWatch === undefined ? execution.evm : consoleWatch.watch(execution.evm),
      watchedCalls: consoleWatch && {
        watch: consoleWatch,
        listeners: {
          onConsoleCall: (used) => onConsoleCall(used),
          onFailedCall: (failed) => onFailedCall(failed),
        },
      },
      head,
      reverts,
      network: engine.network,
      control: engine.control,
      dev: engine.dev,
      nextBlock,
      cosmos: engine.cosmos,
      events,
      calls,
      fork,
    },
  )
  announceOlder(blocks.meta, log.component('node'))
  for (const warning of store.warnings) log.component('node').warn(warning)
  forks.onSchedule(store.head.header.timestamp)
  const states = { what: 'states', setting: `pruning = ${pruning}`, oldest: state.oldest }
  announcePruning({ ...states, head: tracker.number, retained }, log)
  const bodies = { what: 'bodies', setting: 'min-retain-blocks', oldest: blocks.meta.oldestBody() }
  announcePruning({ ...bodies, head: tracker.number, retained: options.retainedBlocks }, log)
  if (options.retainedBlocks !== undefined)
    startPruning(
      options.retainedBlocks,
      { app, blocks, events, head: () => tracker.number, log: log.component('node') },
      resources,
    )
  resources.own('engine', () => engine.stop())
  // First of all, so that no thread waits for the remote while it is to end.
  if (fork !== undefined) resources.own('requests to the remote of the fork', () => fork.abort())
  await engine.start(chain)
  const { workers, traceWorkers } = execution
  return {
    chain,
    isNew: store.isNew,
    readyFields: engine.readyFields,
    engineStats: engine.stats,
    aheadStats: () => app.ahead,
    consoleBlock: () => consoleBlock,
    onConsoleCall: (listener) => {
      onConsoleCall = listener
    },
    onFailedCall: (listener) => {
      onFailedCall = listener
    },
    onRejectedSend: (listener) => {
      onRejectedSend = listener
    },
    workerStats: () => ({ call: workers.stats(), trace: traceWorkers.stats() }),
    poolStats: stats,
    forkStats: fork && (() => fork.counters),
    stopCalls: () => {
      nodePool.closeWaits()
      inclusions.close()
      void workers.close()
      void traceWorkers.close()
      fork?.abort()
    },
    diskStats: () => writes.stats(),
    dataFile: path,
    watchHead: (given) => {
      witness = given
      tellWitness()
    },
    clearStaleReaders: () => void environment.clearStaleReaders(),
    writeProblem: () => writes.problem,
    close: () => resources.closeAll(),
  }
}

/** For how long a call may hold up a chain whose blocks do so too: longer than a worker takes to start. */
const soleClientInlineMs = 100
