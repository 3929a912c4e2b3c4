import { damagedFile } from '../../base/lmdb/file/damage.ts'
import { LmdbEnvironment } from '../../base/lmdb/lmdb.ts'
import type { Logger } from '../../base/logging/log.ts'
import type { ResultsLimits } from '../../comet/client/resultsStream.ts'
import { parseBlock } from '../../comet/data/parseBlock.ts'
import type { ChainInfo } from '../../cosmos/chainInfo.ts'
import { NativeBlockInfoReader } from '../../families/convert/nativeBlockInfo.ts'
import { familyOf } from '../../families/families.ts'
import { HeaderProofs } from '../../light/headerProofs.ts'
import { BlockPruner, pruneStep } from '../../store/blockPruner.ts'
import { BlockStore } from '../../store/blockStore.ts'
import { StoreCheck } from '../../store/check/storeCheck.ts'
import { announceOlder } from '../../store/tables/announceOlder.ts'
import { StoreError } from '../../store/tables/chainMeta.ts'
import { assertSameChain, toStoreIdentity } from '../identity/storeIdentity.ts'
import { beginWithSnapshot } from '../snapshot/begin.ts'
import { areAllUsable, assertAgreed, commonHeight, mayBeThere } from '../trust/agreement.ts'
import { type Lie, toLie } from '../trust/lieLog.ts'
import { createTrustFile, type TrustFileOptions } from '../trust/trustFile.ts'
import { rootSettings } from '../trust/trustSettings.ts'
import { maxStatusLag } from '../upstreams/choice/order.ts'
import type { UpstreamAddress } from '../upstreams/choice/upstreamAddress.ts'
import { UpstreamClient } from '../upstreams/upstreamClient.ts'
import { BlockWriter, type HeadUpdate } from './blockWriter.ts'
import { ConversionContextReader } from './contextReader.ts'
import { FollowLoop } from './followLoop.ts'
import type { UntakenBlock } from './followOptions.ts'

/** The options of a follower. They are plain data, because they are passed between threads. */
export interface FollowerOptions {
  /** The path of the store's file. */
  readonly path: string
  readonly nodes: readonly UpstreamAddress[]
  readonly chainInfo: ChainInfo
  /** The first height of an empty store; undefined: the lowest that an upstream has. */
  readonly from?: number | undefined
  /** Whether the index of appearances is maintained. */
  readonly appearances?: boolean
  /** How many of the newest blocks are kept with their bodies, at least; all by default. */
  readonly retainedBlocks?: number | undefined
  readonly callTimeoutMs?: number
  /** How long the node that is followed may give no block while another one has the next. */
  readonly leadPatienceMs?: number | undefined
  /** The limits of a block's results. */
  readonly resultsLimits?: ResultsLimits | undefined
  /** From where on, and for how long, headers are trusted; undefined: they are believed without signatures. */
  readonly trust?: TrustFileOptions | undefined
  /** Whether a block is served only when the next one has proven its results. */
  readonly holdNewest?: boolean | undefined
  /** The file or URL of a snapshot to read blocks from before the nodes; undefined: read them from the nodes alone. */
  readonly bootstrap?: string | undefined
  /** The free disk space below which no block is written, in bytes. */
  readonly minFreeBytes?: number
}

export interface FollowCallbacks {
  readonly onHead: (head: HeadUpdate) => void
  readonly onTarget: (height: number) => void
  readonly onQuarantine: (node: string, reason: string, isLie: boolean) => void
  readonly onUntaken: (untaken: UntakenBlock | undefined) => void
  /** Called with the number of native transactions of a block whose Ethereum messages are not understood. */
  readonly onUndecoded?: (count: number) => void
  /** Called with each lie that is proven. */
  readonly onLie?: (lie: Lie) => void
  /** Called when the follower cannot continue. */
  readonly onFailure: (error: Error) => void
}

export interface FollowService {
  /** Returns the head of the store; undefined if it is empty. */
  head(): HeadUpdate | undefined
  stats(): FollowStats
  close(): Promise<void>
}

export interface FollowStats {
  readonly transactions: number
  readonly upstreams: ReturnType<UpstreamClient['stats']>['upstreams']
}

/** The blocks that a start checks, and the number of transactions after which it checks no more than two. */
const startBlocks = 4
const startTransactions = 200

/** Throws if one of the newest blocks contradicts its hash: it would be served. */
const assertNewestBlocks = (store: BlockStore, environment: LmdbEnvironment): void => {
  if (!store.head()) return
  const problems = Array.from(
    new StoreCheck(store, environment).newest(startBlocks, startTransactions),
    ({ number, problem }) => `block ${number}: ${problem}`,
  )
  const remedy =
    'run `perihelion db check`; restore the file from a backup, or remove it and follow the chain again'
  if (problems.length > 0) throw damagedFile(environment.path, problems, remedy)
}

const loadHead = (store: BlockStore): HeadUpdate | undefined => {
  const head = store.head()
  const header = head && store.header(head.number)
  return header && { ...head, time: Number(header.timestamp), isCorrection: false }
}

const createPruner = (
  retainedBlocks: number | undefined,
  environment: LmdbEnvironment,
  store: BlockStore,
  log: Logger,
): BlockPruner | undefined => {
  if (retainedBlocks === undefined) return undefined
  const prune = async (height: number): Promise<number> => {
    let oldest = 0
    await environment.transact(() => {
      oldest = store.pruneBelow(height, pruneStep.blocks, pruneStep.transactions)
    })
    return oldest
  }
  const pruner = new BlockPruner(
    { retainedBlocks },
    { head: () => store.head()?.number ?? 0, oldest: () => store.meta.oldestBody(), prune, log },
  )
  pruner.wake()
  return pruner
}

/** Opens the store of a home and follows the chain. The service is the only writer of that store. */
export const createFollowService = async (
  options: FollowerOptions,
  reports: FollowCallbacks,
  log: Logger,
): Promise<FollowService> => {
  const { path, chainInfo, from, callTimeoutMs = 10_000, minFreeBytes } = options
  const environment = new LmdbEnvironment({ path, ...(minFreeBytes === undefined ? {} : { minFreeBytes }) })
  const controller = new AbortController()
  const { signal } = controller
  const upstreams = new UpstreamClient(
    { nodes: options.nodes, chainId: chainInfo.nativeChainId, callTimeoutMs },
    log,
  )
  const end = async (): Promise<void> => {
    controller.abort()
    upstreams.close()
    await environment.close()
  }
  let store: BlockStore
  try {
    store = environment.openTables(
      () => new BlockStore(environment, { appearances: options.appearances ?? true }),
    )
    assertSameChain(store, chainInfo, path)
    assertNewestBlocks(store, environment)
    announceOlder(store.meta, log)
  } catch (error) {
    await end()
    throw error
  }
  const { hash, fetchGenesis } = familyOf(chainInfo).blocks
  const pruner = createPruner(options.retainedBlocks, environment, store, log)
  const writer = new BlockWriter(
    {
      origin: { hasNativeHashes: hash === 'engine' },
      config: JSON.stringify(chainInfo.config.source),
      position: Buffer.from(toStoreIdentity(chainInfo)),
      chainId: chainInfo.config.chainId,
      signal,
    },
    {
      environment,
      store,
      log,
      onHead: (head) => {
        reports.onHead(head)
        pruner?.wake()
      },
    },
  )
  const stored = new NativeBlockInfoReader(environment)
  let proofs: HeaderProofs | undefined
  try {
    proofs =
      options.trust &&
      new HeaderProofs(chainInfo.nativeChainId, options.trust, {
        commonHeight: (source, latest) => commonHeight(upstreams, source, latest),
        // What nodes told of their heights may be old.
        mayBeThere: (height) => mayBeThere(upstreams, height - maxStatusLag),
        areAllUsable: () => areAllUsable(upstreams),
        askOthers: (source, height, hash) => assertAgreed(upstreams, { source, height, hash }, signal),
        storedHash: (height) => stored.nativeHashAt(height),
        storedHead: () => {
          const { number: height, nativeHash: hash } = writer.last ?? {}
          return height !== undefined && hash !== undefined && hash.length > 0 ? { height, hash } : undefined
        },
        store: createTrustFile(options.trust.path, options.trust.root !== undefined),
        rootSettings,
        log,
      })
  } catch (error) {
    await end()
    throw error
  }
  const { holdNewest, leadPatienceMs } = options
  const loop = new FollowLoop(
    { chainInfo, from, callTimeoutMs, resultsLimits: options.resultsLimits, holdNewest, leadPatienceMs },
    {
      upstreams,
      contextReader: new ConversionContextReader(upstreams, chainInfo),
      writer,
      proofs,
      onLie: (node, lie) => reports.onLie?.(toLie(node, lie)),
      nativeHashAt: (height) => stored.nativeHashAt(height),
      log,
      onTarget: reports.onTarget,
      onQuarantine: reports.onQuarantine,
      onUntaken: reports.onUntaken,
      onUndecoded: reports.onUndecoded,
    },
    signal,
  )
  const takeSnapshot = (place: string): Promise<void> =>
    beginWithSnapshot(
      { place, marker: `${path}.bootstrap` },
      {
        chainInfo,
        writer,
        lastHash: store.head()?.hash,
        nativeHashAt: async (height) => parseBlock(await upstreams.block(height, signal)).hash,
        onTarget: reports.onTarget,
        onBlocks: () => proofs?.expectUnproven(),
        log,
      },
      signal,
    )
  const follow = async (): Promise<void> => {
    await upstreams.open(signal).catch((error: Error) => {
      // If there are blocks to serve, the gateway starts and waits for the upstreams.
      if (!store.head()) throw error
      log.warn({ reason: error.message }, 'no node answers; blocks come when one does')
    })
    if (options.bootstrap !== undefined) await takeSnapshot(options.bootstrap)
    const { block: earliest } = upstreams.earliest()
    if (!store.head() && from !== undefined && from < earliest)
      throw new StoreError(`no node has block ${from}: the earliest that one has is ${earliest}`)
    // The next block is waited for; a distant one would be without a message.
    if (!store.head() && from !== undefined && !mayBeThere(upstreams, from - 1))
      throw new StoreError(`no node has block ${from} yet (gateway.from): give one that the chain has`)
    if (!store.head() && fetchGenesis && (from ?? earliest) === 1)
      await writer.add(await fetchGenesis(upstreams, signal))
    await loop.run()
  }
  const running = follow().catch((error: Error) => {
    if (!signal.aborted) reports.onFailure(error)
  })
  return {
    head: () => loadHead(store),
    stats: () => ({ transactions: loop.transactions, upstreams: upstreams.stats().upstreams }),
    close: async () => {
      controller.abort()
      upstreams.close()
      await running
      proofs?.close()
      await pruner?.stop()
      await writer.flush().catch(() => undefined) // blocks that are not stored are fetched again
      await environment.close()
    },
  }
}
