import { join } from 'node:path'
import { dataFile, LmdbEnvironment } from '../base/lmdb.ts'
import type { Logger } from '../base/log.ts'
import type { Header } from '../chain/block/header.ts'
import type { BlockRef } from '../chain/port/blockRef.ts'
import type { Chain } from '../chain/port/chain.ts'
import type { SyncProgress } from '../chain/port/network.ts'
import { countDrops, type PoolStats } from '../pool/metrics.ts'
import { defaultPoolSettings, type PoolSettings } from '../pool/types.ts'
import { ChainEvents } from '../served/chainEvents.ts'
import { BlockReader } from '../store/blockReader.ts'
import { operatorOf } from './client/operators.ts'
import { Upstreams } from './client/upstreams.ts'
import type { ChainFacts } from './families/chainFacts.ts'
import type { ChainOverrides } from './families/detect/chainProbe.ts'
import { detectChain } from './families/detect/detectChain.ts'
import { familyOf } from './families/families.ts'
import type { Remote, RemoteSettings } from './families/remote.ts'
import { type Follower, startFollower } from './follow/follower.ts'
import { StoredFacts } from './follow/nativeFacts.ts'
import { GatewayChain } from './gatewayChain.ts'
import { GatewayNetwork } from './gatewayNetwork.ts'
import type { GatewayStats } from './metrics.ts'
import { withCosmosView } from './nativeView/cosmosChain.ts'
import { createGatewayCosmosView } from './nativeView/gatewayCosmosView.ts'
import { GatewayPool } from './sending/gatewayPool.ts'
import { PoolFollower, poolHeadOf } from './sending/poolFollower.ts'
import { CachedQueries } from './state/cachedQueries.ts'

/** The settings of `[gateway]`; what is undefined is asked of the chain. */
export interface GatewaySettings extends Omit<ChainOverrides, 'evmChainId' | 'forks'> {
  /** URLs of CometBFT, the preferred one first. */
  readonly node: readonly string[]
  /** The gRPC addresses of the same nodes, in the same order; the last ones may have none. */
  readonly grpc: readonly string[]
  /** CometBFT's name of the chain; undefined: that of the first node. */
  readonly nativeChainId: string | undefined
  /** The chain id of the EVM. */
  readonly chainId: bigint | undefined
  /** Where a new home begins; undefined: with the earliest block that a node has. */
  readonly from: number | undefined
  /** Milliseconds for one question to the nodes. */
  readonly queryTimeout: number
  /** Bytes for answers that are the same for ever. */
  readonly cacheSize: number
  /** Cosmos transactions are shown among the others. */
  readonly cosmosView: boolean
}

export interface GatewayOptions {
  /** The folder of the gateway; what is kept of the chain is under `data`. */
  readonly home: string
  readonly gateway: GatewaySettings
  /** geth's `config` object with the forks of the chain; undefined: the chain is asked. */
  readonly forks: unknown
  /** The settings of `[json-rpc]` that this end obeys. */
  readonly jsonRpc: RemoteSettings & { readonly feehistoryCap: number }
  /** In wei. */
  readonly minimumGasPrice: bigint
  readonly appearances: boolean
  readonly pool?: Partial<PoolSettings>
}

/** The Ethereum API's chain over the nodes of another one. */
export interface Gateway {
  readonly chain: Chain
  readonly facts: ChainFacts
  /** False while the local store is behind the chain. */
  isInStep(): boolean
  poolStats(): PoolStats
  stats(): GatewayStats
  close(): Promise<void>
}

/** A longer answer is not kept. */
const cachedAnswerBytes = 1_000_000

/** Finds the chain behind some nodes, follows it and answers for it. Throws where no node can be used. */
export const startGateway = async (
  options: GatewayOptions,
  log: Logger,
  signal: AbortSignal = new AbortController().signal,
): Promise<Gateway> => {
  const { nativeChainId, from, queryTimeout } = options.gateway
  const nodes = options.gateway.node.map((node, index) => ({ node, grpc: options.gateway.grpc[index] }))
  const upstreams = new Upstreams(
    { nodes, chainId: nativeChainId, callTimeoutMs: queryTimeout },
    log.part('upstream'),
  )
  const closing: (() => void | Promise<void>)[] = [() => upstreams.close()]
  const close = async (): Promise<void> => {
    for (const end of closing.splice(0).reverse()) await end()
  }
  try {
    const status = await upstreams.open(signal)
    const overrides = { ...options.gateway, evmChainId: options.gateway.chainId, forks: options.forks }
    const facts = await detectChain(upstreams, status, overrides, signal)
    log.info(
      { chain: facts.nativeChainId, family: facts.family, evmChainId: String(facts.config.chainId) },
      'the chain behind this gateway',
    )
    const { home, appearances } = options
    const path = dataFile(home)
    let failed = false
    const follower = await startFollower({ path, nodes, facts, from, appearances }, log.part('follow'), {
      onQuarantine: (node, reason) => upstreams.quarantine(node, reason),
      onFailure: () => {
        failed = true
      },
    })
    closing.push(() => follower.close())
    const environment = new LmdbEnvironment({ path, readOnly: true })
    closing.push(() => environment.close())
    const remote = await familyOf(facts).openRemote(upstreams, signal)
    return assemble(options, {
      upstreams,
      facts,
      remote,
      follower,
      environment,
      knownHeight: status.latestHeight,
      hasFailed: () => failed,
      log,
      closing,
      close,
    })
  } catch (error) {
    await close()
    throw error
  }
}

interface Parts {
  readonly upstreams: Upstreams
  readonly facts: ChainFacts
  readonly remote: Remote
  readonly follower: Follower
  readonly environment: LmdbEnvironment
  /** Of the chain, at the start. */
  readonly knownHeight: number
  /** The chain is not followed any more. */
  readonly hasFailed: () => boolean
  readonly log: Logger
  readonly closing: (() => void | Promise<void>)[]
  readonly close: () => Promise<void>
}

const assemble = (options: GatewayOptions, parts: Parts): Gateway => {
  const { upstreams, facts, remote, follower, environment, knownHeight, hasFailed, log, closing, close } =
    parts
  const { gateway, jsonRpc, minimumGasPrice } = options
  const family = familyOf(facts)
  const blocks = new BlockReader(environment)
  const nativeFacts = new StoredFacts(environment)
  // What is served is at one height: it moves when this thread hears of the next block, and not before.
  environment.refresh()
  let headNumber = follower.head().number
  const startingBlock = headNumber
  /** Until the follower knows how far the chain is, what its node said at the start counts. */
  const progress = (): SyncProgress | undefined => {
    const behind = follower.progress()
    if (behind !== undefined || headNumber + 1 >= knownHeight) return behind
    return { startingBlock, currentBlock: headNumber, highestBlock: knownHeight }
  }
  const headHeader = (): Header => {
    const header = blocks.header(headNumber)
    if (header === undefined) throw new Error(`the head ${headNumber} is not in the store`)
    return header
  }
  const queries = new CachedQueries(
    { bytes: gateway.cacheSize, answerBytes: cachedAnswerBytes, isFinal: family.isFinalAnswer },
    upstreams,
  )
  const pool = new GatewayPool(
    {
      facts,
      settings: { ...defaultPoolSettings, ...options.pool, minimumGasPrice },
      journalFolder: join(options.home, 'data', 'pool'),
    },
    {
      upstream: upstreams,
      head: poolHeadOf(facts.config, headHeader(), undefined),
      locate: (hash) => chain.blocks.locate(hash),
      log: log.part('pool'),
    },
  )
  closing.push(() => pool.close())
  const nodes = new GatewayNetwork({
    nodes: upstreams,
    progress,
    headNumber: () => headNumber,
    proposerOf: (number) => blocks.header(number)?.beneficiary,
    operatorOf: (address, height, signal) => operatorOf(queries, facts, address, height, signal),
    timeoutMs: gateway.queryTimeout,
  })
  const network = remote.withNetworkFacts(nodes, queries)
  const events = new ChainEvents({
    onPending: (listener) => pool.onPending(listener),
    syncing: () => network.syncing(),
    blocks,
  })
  const chain = new GatewayChain(
    { config: facts.config, feeHistoryCap: jsonRpc.feehistoryCap },
    {
      blocks,
      headNumber: () => headNumber,
      pool,
      network,
      events,
      cosmos: createGatewayCosmosView({
        facts,
        upstream: upstreams,
        locate: (hash) => chain.blocks.locate(hash),
        pooled: (hash) => pool.get(hash),
        native: nativeFacts,
      }),
      remote: (served) =>
        remote.createBackend(
          { ...jsonRpc, queryTimeout: gateway.queryTimeout, minimumGasPrice },
          {
            queries,
            facts,
            family,
            blocks,
            nativeFacts,
            headNumber: () => headNumber,
            resolve: (ref: BlockRef) => served.resolve(ref),
            locate: (hash: Uint8Array) => served.locate(hash),
          },
        ),
    },
  )
  const poolFollower = new PoolFollower({
    isBehind: () => progress() !== undefined,
    head: headHeader,
    nextBaseFee: () => chain.fees.nextBaseFee(),
    tell: (header, baseFee) => pool.onHead(poolHeadOf(facts.config, header, baseFee)),
    log: log.part('pool'),
  })
  const stop = follower.onHead(({ number }) => {
    const before = headNumber
    environment.refresh()
    headNumber = number
    events.grown(before, number)
    remote.onHead()
    poolFollower.onHead()
  })
  closing.push(stop)
  poolFollower.onHead()
  return {
    chain: gateway.cosmosView
      ? withCosmosView(chain, { native: nativeFacts, logCount: (number) => blocks.logCount(number) })
      : chain,
    facts,
    isInStep: () => !hasFailed() && progress() === undefined,
    poolStats: countDrops(pool.pool),
    stats: () => ({
      head: headNumber,
      highest: progress()?.highestBlock ?? headNumber,
      cachedAnswers: queries.hits,
      ...upstreams.stats(),
    }),
    close,
  }
}
