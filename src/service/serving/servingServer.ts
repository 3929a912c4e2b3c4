import { join } from 'node:path'
import { Registry } from 'prom-client'
import { toRpcError } from '../../api/answers/chainErrors.ts'
import type { ApiContext } from '../../api/context.ts'
import { methodsOfProfile } from '../../api/devProfile.ts'
import type { RootLogger } from '../../base/logging/log.ts'
import type { ResourceStack } from '../../base/resources.ts'
import { explorerUrl } from '../../base/threads/builtFiles.ts'
import { CriteriaMemory } from '../../events/criteriaMemory.ts'
import { registerSubscriptionMetrics } from '../../events/metrics.ts'
import { SubscriptionManager } from '../../events/subscriptionManager.ts'
import { registerWorkerMetrics } from '../../execute/workers/workerMetrics.ts'
import { elsewhere, failElsewhere } from '../../node/reading/elsewhere.ts'
import { openReader } from '../../node/reading/openReader.ts'
import { HeightGate } from '../../rpc/access/heightGate.ts'
import { RpcServer } from '../../rpc/server.ts'
import { Pages, sharedPage } from '../../rpc/transport/pages.ts'
import { Site } from '../../rpc/transport/site.ts'
import { type PublishedHead, PublishedHeadReader } from './head/headFile.ts'
import { HeadFollower } from './head/headFollower.ts'
import type { ServingOptions } from './messages.ts'
import { registerProcessMetrics } from './metrics.ts'
import type { MainProcess } from './pipe/mainProcess.ts'
import { fromAddedMethod, toServingMethods } from './servingMethods.ts'
import { spoolFolderOf } from './spoolFolders.ts'

/** The JSON-RPC server of a serving process. */
export interface ServingServer {
  readonly server: RpcServer<ApiContext>
  readonly registry: Registry
  readonly follower: HeadFollower
  /** Ends what takes long, lets the rest finish, and closes everything. */
  close(): Promise<void>
}

/** Opens the store and makes a server that answers from it, and passes the rest on to the main process. */
export const openServingServer = async (
  options: ServingOptions,
  main: MainProcess,
  log: RootLogger,
  resources: ResourceStack,
): Promise<ServingServer> => {
  const { home, jsonRpc } = options
  const heads = new PublishedHeadReader(options.headFile)
  resources.own('published head', () => heads.close())
  const reader = await openReader(
    {
      ...options,
      head: readHead(heads).number,
      traceFolders: {
        spoolFolder: spoolFolderOf(home, process.pid),
        folder: join(home, 'traces'),
        minFreeBytes: options.minFreeSpace,
      },
    },
    log,
    resources,
  )
  const { chain } = reader
  const registry = new Registry()
  registerProcessMetrics(registry)
  registerWorkerMetrics(registry, () => reader.workerStats())
  const memory = new CriteriaMemory(jsonRpc.filterMemory)
  const subscriptions = new SubscriptionManager(jsonRpc, { chain, memory, log })
  registerSubscriptionMetrics(registry, () => subscriptions.counts(), memory)

  // From here on nothing is missed of what the main process tells: it is not told before this turn ends.
  const head = readHead(heads)
  reader.moveTo(head.number)
  const follower = new HeadFollower(head, {
    reader,
    heads,
    onForked: () => subscriptions.disconnectAll('the chain was started over: subscribe again'),
    onLogsLost: () =>
      subscriptions.disconnectAll('too many logs were removed to tell of them: subscribe again'),
    log,
  })
  const context: ApiContext = {
    clientVersion: options.clientVersion,
    home,
    chain,
    subscriptions,
    logSettings: jsonRpc,
    modules: () => options.modules,
    diagnostics: elsewhere(),
    log: elsewhere(),
    senderLock: elsewhere(),
    chainTraceSubscriptions: elsewhere(),
    filters: elsewhere(),
    accounts: elsewhere(),
    keystore: elsewhere(),
    wallets: elsewhere(),
    transports: elsewhere(),
    contracts: elsewhere(),
    abis: elsewhere(),
    instanceId: '',
    saveMinimumGasPrice: failElsewhere,
    saveCoinbase: failElsewhere,
    openRpc: failElsewhere,
  }
  const methods = toServingMethods(
    [...methodsOfProfile(options.isDev), ...options.added.map(fromAddedMethod)],
    {
      follow: () => follower.follow(),
      forward: (method, params, scope) => main.call(method, params, scope),
    },
  )
  const heights = new HeightGate(
    {
      current: () => {
        // What the main process answered may be of a block that nothing has moved to here.
        follower.follow()
        return chain.head().number
      },
      onHead: (listener) => chain.events.onHead(listener),
    },
    jsonRpc,
  )
  const server = new RpcServer<ApiContext>(jsonRpc, {
    methods,
    heights,
    context,
    toRpcError,
    namespaces: options.namespaces,
    isDev: options.isDev,
    pages: pagesOf(options.pages, main),
    site: options.servesExplorer ? new Site(explorerUrl) : undefined,
    secret: options.secret,
    keys: options.keys,
    tls: options.tls,
    registry,
    log: log.component('rpc'),
  })
  return {
    server,
    registry,
    follower,
    close: async () => {
      reader.stopCalls()
      heights.close()
      await server.close()
      await resources.closeAll()
    },
  }
}

/** Returns the pages of the main process, which is asked for each of them once at a time, however many clients wait. */
export const pagesOf = (paths: readonly string[], main: Pick<MainProcess, 'page'>): Pages =>
  new Pages(Object.fromEntries(paths.map((path) => [path, sharedPage(() => main.page(path), 0)])))

const readHead = (heads: PublishedHeadReader): PublishedHead => {
  heads.forget()
  const head = heads.next()
  if (head === undefined) throw new Error('no head is published')
  return head
}
