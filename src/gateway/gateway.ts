import { join } from 'node:path'
import { badConfig } from '../base/exit.ts'
import { LmdbEnvironment } from '../base/lmdb/lmdb.ts'
import type { Logger } from '../base/logging/log.ts'
import { ResourceStack } from '../base/resources.ts'
import type { Header } from '../chain/block/header.ts'
import type { BlockRef } from '../chain/port/blockRef.ts'
import type { Chain } from '../chain/port/chain.ts'
import type { SyncProgress } from '../chain/port/network.ts'
import type { ChainInfo } from '../cosmos/chainInfo.ts'
import { NativeBlockInfoReader } from '../families/convert/nativeBlockInfo.ts'
import { familyOf } from '../families/families.ts'
import { findOperator } from '../families/queries/operators.ts'
import type { Remote } from '../families/remote.ts'
import { dataFile } from '../home/layout.ts'
import { type PoolStats, trackDrops } from '../pool/metrics.ts'
import { defaultPoolSettings } from '../pool/types.ts'
import { ChainEvents } from '../served/chainEvents.ts'
import { BlockStoreReader } from '../store/blockStoreReader.ts'
import { NativeIndexReader } from '../store/index/nativeIndex.ts'
import { openNativeTables } from '../store/tables/chainTables.ts'
import { type CallProver, openCallProver } from './calls/openProvenCalls.ts'
import { Fleet } from './fleet/fleet.ts'
import { type Follower, isFailedCommit, progressOf, startFollower } from './follow/follower.ts'
import { removedLogsOf } from './follow/removedBlock.ts'
import { GatewayChain } from './gatewayChain.ts'
import { GatewayNetwork } from './gatewayNetwork.ts'
import { type GatewayOptions, toOverrides, toTrustOptions } from './gatewayOptions.ts'
import { identifyChain } from './identity/identifyChain.ts'
import { saveChainInfo } from './identity/savedChain.ts'
import { type ChainWatch, watchChain } from './identity/watchChain.ts'
import type { GatewayStats } from './metrics.ts'
import { withCosmosView } from './nativeView/cosmosChain.ts'
import { createGatewayCosmosView } from './nativeView/gatewayCosmosView.ts'
import { GatewayPool } from './sending/gatewayPool.ts'
import { PoolHeadUpdater, toPoolHead } from './sending/poolHeadUpdater.ts'
import { LieLog, toLie } from './trust/lieLog.ts'
import { provenStates } from './trust/provenStates.ts'
import { CachedQueryClient } from './upstreams/cachedQueryClient.ts'
import { toUpstreamAddresses } from './upstreams/choice/upstreamAddress.ts'
import { UpstreamClient } from './upstreams/upstreamClient.ts'

/** A chain for the Ethereum API that is served from the nodes of another chain. */
export interface Gateway {
  readonly chain: Chain
  readonly chainInfo: ChainInfo
  /** Returns false while the local store is behind the chain. */
  isSynced(): boolean
  /** Returns why the gateway does not follow its chain any further for now, in the words of `/ready`; undefined if it does. */
  problem(): { readonly reason: 'block' | 'engine'; readonly problem: string } | undefined
  /** Returns whether the chain is not followed any more, for good. */
  hasFailed(): boolean
  poolStats(): PoolStats
  /** Ends the waits of clients, before the transports close. */
  stopCalls(): void
  stats(): GatewayStats
  /** The gateways that share a database with this one; undefined if it is alone. */
  readonly fleet: Fleet | undefined
  close(): Promise<void>
}

/** The size in bytes above which a response is not cached. */
const maxCachedResponseBytes = 1_000_000

/**
 * Detects the chain behind the configured upstreams, follows it and serves it. If no upstream can be used, the blocks of
 * the store are served until one can. Throws if there are none; then everything is closed again.
 */
export const startGateway = (
  options: GatewayOptions,
  log: Logger,
  signal: AbortSignal = new AbortController().signal,
): Promise<Gateway> =>
  ResourceStack.guard(
    (resources) => open(options, log, signal, resources),
    (error) => log.error({ err: error }, 'a gateway that did not start could not be closed'),
  )

const open = async (
  options: GatewayOptions,
  log: Logger,
  signal: AbortSignal,
  resources: ResourceStack,
): Promise<Gateway> => {
  const { nativeChainId, from, queryTimeout, maxLag, hedgeAfter } = options.gateway
  const nodes = toUpstreamAddresses(options.gateway)
  const lieLog = new LieLog(join(options.home, 'data', 'lies.jsonl'), log)
  const upstreams = new UpstreamClient(
    {
      nodes,
      chainId: nativeChainId,
      callTimeoutMs: queryTimeout,
      maxLag,
      hedgeAfterMs: hedgeAfter,
      onLie: (node, lie) => lieLog.add(toLie(node, lie)),
    },
    log.component('upstream'),
  )
  resources.own('upstreams', () => upstreams.close())
  const overrides = toOverrides(options)
  const { home, appearances } = options
  const { chainInfo, height } = await identifyChain(home, overrides, { upstreams, log }, signal)
  log.info(
    {
      chain: chainInfo.nativeChainId,
      family: chainInfo.family,
      evmChainId: String(chainInfo.config.chainId),
    },
    'the chain behind this gateway',
  )
  assertCallsProvable(options, chainInfo)
  const fleet = await joinFleet(options, chainInfo.nativeChainId, {
    height: () => served?.height() ?? 0,
    trouble: () => served?.problem(),
    log,
  })
  if (fleet !== undefined) resources.own('fleet', () => fleet.close())
  let served: { readonly height: () => number; readonly problem: () => string | undefined } | undefined
  const path = dataFile(home)
  let failed = false
  const follower = await startFollower(
    {
      path,
      nodes,
      chainInfo,
      from,
      appearances,
      retainedBlocks: options.retainedBlocks,
      trust: toTrustOptions(options),
      holdNewest: options.gateway.holdNewest,
      bootstrap: options.gateway.bootstrap,
      ...(options.minFreeBytes === undefined ? {} : { minFreeBytes: options.minFreeBytes }),
    },
    log.component('follow'),
    {
      onQuarantine: (node, reason, isLie) => upstreams.quarantine(node, reason, isLie),
      onLie: (lie) => lieLog.add(lie),
      onFailure: (error) => {
        failed = true
        if (isFailedCommit(error)) options.onCommitFailed?.(error.message)
      },
    },
    options.isInteractive,
  )
  resources.own('follower', () => follower.close())
  const environment = new LmdbEnvironment({ path, readOnly: true })
  resources.own('store', () => environment.close())
  const remote = await familyOf(chainInfo).openRemote(upstreams, chainInfo, queryTimeout, signal)
  const callProver =
    options.gateway.verifyState === 'calls' ? await openCallProver(options.jsonRpc, resources) : undefined
  saveChainInfo(home, chainInfo)
  const chainWatch = watchChain(
    { known: chainInfo, overrides, isUnconfirmed: height === undefined },
    { upstreams, log, onDetected: (found) => saveChainInfo(home, found) },
  )
  resources.own('detection of the chain', () => chainWatch.close())
  const gateway = assemble(options, {
    fleet,
    chainWatch,
    upstreams,
    chainInfo,
    remote,
    callProver,
    follower,
    lieLog,
    environment,
    knownHeight: height,
    hasFailed: () => failed,
    log,
    resources,
  })
  served = { height: () => gateway.stats().head, problem: () => gateway.problem()?.problem }
  if (fleet !== undefined) resources.own('sharing with the fleet', () => fleet.stop())
  await fleet?.start()
  return gateway
}

/** Throws if calls are to be proven on a chain whose nodes give no witness of them. */
const assertCallsProvable = ({ gateway }: GatewayOptions, chainInfo: ChainInfo): void => {
  if (gateway.verifyState === 'calls' && !familyOf(chainInfo).proofs.hasWitnesses)
    throw badConfig(
      `gateway.verify-state: got calls, wanted true or false: nodes of chains of the family ${chainInfo.family} do not prove calls`,
    )
}

const joinFleet = async (
  { home, gateway, jsonRpc }: GatewayOptions,
  chain: string,
  dependencies: Parameters<typeof Fleet.join>[1],
): Promise<Fleet | undefined> => {
  const { database } = gateway
  if (database === undefined) return undefined
  const memberFile = join(home, 'data', 'fleet-member')
  return Fleet.join(
    { url: database, chain, filterTimeoutMs: jsonRpc.filterTimeout, memberFile },
    dependencies,
  )
}

interface AssemblyDependencies {
  readonly fleet: Fleet | undefined
  readonly upstreams: UpstreamClient
  readonly chainInfo: ChainInfo
  readonly remote: Remote
  /** What proves calls; undefined if they are believed. */
  readonly callProver: CallProver | undefined
  readonly follower: Follower
  readonly lieLog: LieLog
  readonly environment: LmdbEnvironment
  /** The height of the chain at the start; undefined if no node answered. */
  readonly knownHeight: number | undefined
  readonly chainWatch: ChainWatch
  /** Returns whether the follower has stopped for good. */
  readonly hasFailed: () => boolean
  readonly log: Logger
  readonly resources: ResourceStack
}

const assemble = (options: GatewayOptions, dependencies: AssemblyDependencies): Gateway => {
  const {
    fleet,
    upstreams,
    chainInfo,
    remote,
    callProver,
    follower,
    lieLog,
    environment,
    knownHeight,
    hasFailed,
    chainWatch,
    log,
    resources,
  } = dependencies
  const { gateway, jsonRpc, minimumGasPrice } = options
  const family = familyOf(chainInfo)
  const blocks = new BlockStoreReader(environment)
  const nativeBlockInfo = new NativeBlockInfoReader(environment)
  // Everything is served at one height, which changes only when this thread is notified of the next block.
  environment.refresh()
  let { number: headNumber, isConfirmed: isHeadConfirmed = false } = follower.head()
  upstreams.selector.storedHeight = headNumber
  const startingBlock = headNumber
  /** Returns the sync progress. Until the follower knows the height of the chain, the status at the start counts. */
  const progress = (): SyncProgress | undefined => {
    if (follower.target() > 0 || knownHeight === undefined) return follower.progress()
    return progressOf(startingBlock, headNumber, knownHeight, gateway.holdNewest)
  }
  const headHeader = (): Header => {
    const header = blocks.header(headNumber)
    if (header === undefined) throw new Error(`the head ${headNumber} is not in the store`)
    return header
  }
  const stateProofs = gateway.verifyState
    ? provenStates({
        kind: family.proofs,
        chainInfo,
        isHeadConfirmed: () => isHeadConfirmed,
        blocks,
        nativeBlockInfo,
        headNumber: () => headNumber,
        log: log.component('proofs'),
      })
    : undefined
  if (stateProofs) upstreams.proveStates(stateProofs)
  upstreams.compareBlocks((height) => nativeBlockInfo.nativeHashAt(height))
  const queries = new CachedQueryClient(
    {
      bytes: gateway.cacheSize,
      maxResponseBytes: maxCachedResponseBytes,
      isFinal: family.isFinalResponse,
      canProveMore: stateProofs && ((outcome, height) => stateProofs.canProveMore(outcome, height)),
    },
    upstreams,
  )
  const pool = new GatewayPool(
    {
      chainInfo,
      settings: { ...defaultPoolSettings, ...options.pool, minimumGasPrice },
      journalFolder: join(options.home, 'data', 'pool'),
      whileAway: gateway.sendsWhileAway,
      assertWritable: options.assertWritable,
    },
    {
      upstream: upstreams,
      head: toPoolHead(chainInfo.config, headHeader(), undefined),
      locate: (hash) => chain.blocks.locate(hash),
      locateBySender: (sender, nonce) => chain.blocks.locateBySender(sender, nonce),
      shared: fleet?.sends,
      log: log.component('pool'),
    },
  )
  resources.own('pool', () => pool.close())
  const nodes = new GatewayNetwork({
    nodes: upstreams,
    progress,
    headNumber: () => headNumber,
    proposerOf: (number) => blocks.header(number)?.beneficiary,
    operatorOf: (address, height, signal) => findOperator(queries, chainInfo, address, height, signal),
    timeoutMs: gateway.queryTimeout,
  })
  const network = remote.extendNetwork(nodes, queries)
  const events = new ChainEvents({
    onPending: (listener) => pool.onPending(listener),
    syncing: () => network.syncing(),
    blocks,
    onListenerError: (error) => log.error({ err: error }, 'a listener of the chain failed'),
  })
  const chain = new GatewayChain(
    {
      config: chainInfo.config,
      feeHistoryCap: jsonRpc.feehistoryCap,
      retainedBlocks: options.retainedBlocks,
      isVerified: gateway.verify,
    },
    {
      blocks,
      lies: () => lieLog.lies,
      stateProofs,
      headNumber: () => headNumber,
      untaken: () => follower.untaken(),
      pool,
      network,
      events,
      cosmos: createGatewayCosmosView({
        chainInfo,
        upstream: upstreams,
        locate: (hash) => chain.blocks.locate(hash),
        pooled: (hash) => pool.get(hash),
        native: nativeBlockInfo,
      }),
      remote: (served) => {
        const resolve = (ref: BlockRef) => served.resolve(ref)
        const backend = remote.createBackend(
          { ...jsonRpc, queryTimeout: gateway.queryTimeout, minimumGasPrice },
          {
            queries,
            uncachedQueries: upstreams,
            chainInfo,
            family,
            blocks,
            nativeBlockInfo,
            headNumber: () => headNumber,
            resolve,
            locate: (hash: Uint8Array) => served.locate(hash),
          },
        )
        if (callProver === undefined || stateProofs === undefined) return backend
        return callProver.over(backend, {
          ...{ blocks, config: chainInfo.config, headNumber: () => headNumber, resolve },
          isProvable: (height) => stateProofs.isProvable(height),
        })
      },
    },
  )
  const poolFollower = new PoolHeadUpdater({
    isBehind: () => progress() !== undefined,
    head: headHeader,
    nextBaseFee: () => chain.fees.nextBaseFee(),
    updatePool: (header, baseFee) => pool.onHead(toPoolHead(chainInfo.config, header, baseFee)),
    log: log.component('pool'),
  })
  const stop = follower.onHead(({ number, isConfirmed = false, removed }) => {
    const before = headNumber
    environment.refresh()
    headNumber = number
    isHeadConfirmed = isConfirmed
    upstreams.selector.storedHeight = number
    if (removed) events.emitReverted(removed.number - 1, () => removedLogsOf(removed, gateway.cosmosView))
    events.emitExtended(removed ? removed.number - 1 : before, number)
    remote.onHead()
    poolFollower.onHead()
  })
  resources.own('listener of the head', () => {
    stop()
    poolFollower.close()
  })
  poolFollower.onHead()
  const poolStats = trackDrops(pool.pool)
  return {
    chain: gateway.cosmosView
      ? withCosmosView(chain, {
          native: nativeBlockInfo,
          logCount: (number) => blocks.logCount(number),
          index: new NativeIndexReader(openNativeTables(environment), blocks.meta),
        })
      : chain,
    chainInfo,
    isSynced: () =>
      !hasFailed() &&
      !chainWatch.hasStartedStale() &&
      // A start without any node cannot know how old its blocks are.
      (knownHeight !== undefined || follower.target() > 0) &&
      progress() === undefined &&
      follower.untaken() === undefined,
    problem: () => {
      const untaken = follower.untaken()
      if (untaken !== undefined)
        return { reason: 'block', problem: `block ${untaken.height} cannot be taken: ${untaken.reason}` }
      const sends = gateway.sendsWhileAway === 'keep' ? 'kept' : 'refused'
      const away = `no node of the chain answers: what the store has is served, transactions are ${sends}`
      if (upstreams.isAway()) return { reason: 'engine', problem: away }
      const change = chainWatch.findChange()
      return change === undefined ? undefined : { reason: 'block', problem: change }
    },
    hasFailed,
    poolStats: () => ({ ...poolStats(), ...pool.counts() }),
    stopCalls: () => pool.closeWaits(),
    stats: () => ({
      head: headNumber,
      highest: progress()?.highestBlock ?? headNumber,
      untakenBlock: follower.untaken()?.height ?? 0,
      undecodedTransactions: follower.undecoded(),
      lies: lieLog.counts(),
      stateAnswers: stateProofs?.counts(),
      callAnswers: callProver?.counts(),
      cachedResponses: queries.hits,
      ...upstreams.stats(),
    }),
    fleet,
    close: () => resources.closeAll(),
  }
}
