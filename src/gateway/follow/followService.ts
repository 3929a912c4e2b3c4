import { LmdbEnvironment } from '../../base/lmdb.ts'
import type { Logger } from '../../base/log.ts'
import { BlockStore } from '../../store/blockStore.ts'
import { StoreError } from '../../store/meta.ts'
import type { UpstreamAddress } from '../client/upstream.ts'
import { Upstreams } from '../client/upstreams.ts'
import type { ChainFacts } from '../families/chainFacts.ts'
import { familyOf } from '../families/families.ts'
import { BlockWriter, type HeadNotice } from './blockWriter.ts'
import { FollowLoop } from './followLoop.ts'
import { StoredFacts } from './nativeFacts.ts'
import { SurroundingsReader } from './surroundings.ts'

/** Plain data: it crosses threads. */
export interface FollowerOptions {
  /** The file of the store. */
  readonly path: string
  readonly nodes: readonly UpstreamAddress[]
  readonly facts: ChainFacts
  /** The first height of an empty store; undefined: the lowest that a node has. */
  readonly from?: number | undefined
  /** Whether the index of appearances is kept. */
  readonly appearances?: boolean
  readonly callTimeoutMs?: number
  /** No block is written with less free space than this. */
  readonly minFreeBytes?: number
}

export interface FollowReports {
  readonly onHead: (head: HeadNotice) => void
  readonly onTarget: (height: number) => void
  readonly onQuarantine: (node: string, reason: string) => void
  /** It cannot go on. */
  readonly onFailure: (error: Error) => void
}

export interface FollowService {
  /** Undefined: the store is empty. */
  head(): HeadNotice | undefined
  stats(): FollowStats
  close(): Promise<void>
}

export interface FollowStats {
  readonly transactions: number
  readonly upstreams: ReturnType<Upstreams['stats']>['upstreams']
}

/** What a store of a gateway says of the chain behind it. */
interface Position {
  readonly gateway: {
    readonly nativeChainId: string
    /** True where blocks have the hashes of their Ethereum headers. Stores have it under this name. */
    readonly isOwn: boolean
  }
}

const positionOf = (facts: ChainFacts): Position => ({
  gateway: { nativeChainId: facts.nativeChainId, isOwn: familyOf(facts).blocks.hash === 'header' },
})

const assertSameChain = (store: BlockStore, facts: ChainFacts, path: string): void => {
  if (!store.head()) return
  const row = store.meta.enginePosition()
  const found = row && Buffer.from(row).toString()
  const wanted = JSON.stringify(positionOf(facts))
  if (found !== wanted)
    throw new StoreError(`${path} has blocks of ${found ?? 'a node'}, not of a gateway to ${wanted}`)
}

const headOf = (store: BlockStore): HeadNotice | undefined => {
  const head = store.head()
  const header = head && store.header(head.number)
  return header && { ...head, time: Number(header.timestamp), isCorrection: false }
}

/** Opens the store of a home and follows the chain into it. The only writer of that store. */
export const createFollowService = async (
  options: FollowerOptions,
  reports: FollowReports,
  log: Logger,
): Promise<FollowService> => {
  const { path, facts, from, callTimeoutMs = 10_000, minFreeBytes } = options
  const environment = new LmdbEnvironment({ path, ...(minFreeBytes === undefined ? {} : { minFreeBytes }) })
  const controller = new AbortController()
  const { signal } = controller
  const upstreams = new Upstreams({ nodes: options.nodes, chainId: facts.nativeChainId, callTimeoutMs }, log)
  const end = async (): Promise<void> => {
    controller.abort()
    upstreams.close()
    await environment.close()
  }
  let store: BlockStore
  try {
    store = new BlockStore(environment, { appearances: options.appearances ?? true })
    assertSameChain(store, facts, path)
  } catch (error) {
    await end()
    throw error
  }
  const { hash, fetchGenesis } = familyOf(facts).blocks
  const writer = new BlockWriter(
    {
      origin: { hasForeignHashes: hash === 'engine' },
      config: JSON.stringify(facts.config.source),
      position: Buffer.from(JSON.stringify(positionOf(facts))),
      signal,
    },
    { environment, store, log, onHead: reports.onHead },
  )
  const stored = new StoredFacts(environment)
  const loop = new FollowLoop(
    { facts, from, callTimeoutMs },
    {
      upstreams,
      surroundings: new SurroundingsReader(upstreams, facts),
      writer,
      nativeHashAt: (height) => stored.nativeHashAt(height),
      log,
      onTarget: reports.onTarget,
      onQuarantine: reports.onQuarantine,
    },
    signal,
  )
  const follow = async (): Promise<void> => {
    await upstreams.open(signal).catch((error: Error) => {
      // With blocks to serve, nodes that are away are waited for.
      if (!store.head()) throw error
      log.warn({ reason: error.message }, 'no node answers; blocks come when one does')
    })
    const { block: earliest } = upstreams.earliest()
    if (!store.head() && from !== undefined && from < earliest)
      throw new StoreError(`no node has block ${from}: the earliest that one has is ${earliest}`)
    if (!store.head() && fetchGenesis && (from ?? earliest) === 1)
      await writer.add(await fetchGenesis(upstreams, signal))
    await loop.run()
  }
  const running = follow().catch((error: Error) => {
    if (!signal.aborted) reports.onFailure(error)
  })
  return {
    head: () => headOf(store),
    stats: () => ({ transactions: loop.transactions, upstreams: upstreams.stats().upstreams }),
    close: async () => {
      controller.abort()
      upstreams.close()
      await running
      await writer.flush().catch(() => undefined) // what is not in the store comes again
      await environment.close()
    },
  }
}
