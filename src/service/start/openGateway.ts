import { accessSync, constants } from 'node:fs'
import { badFile, exitCodes } from '../../base/exit.ts'
import { freeBytes } from '../../base/files/fileSystem.ts'
import { readTextFile } from '../../base/files/readFile.ts'
import { meansHttpUrl } from '../../base/http/httpUrl.ts'
import { LockWaitStats } from '../../base/profiling/lockWaitStats.ts'
import type { ResourceStack } from '../../base/resources.ts'
import type { Config } from '../../config/settings/settings.ts'
import { type Gateway, startGateway } from '../../gateway/gateway.ts'
import type { GatewayOptions } from '../../gateway/gatewayOptions.ts'
import { hasChainFile } from '../../home/layout.ts'
import { WriteGate } from '../../node/writeGate.ts'
import type { Finding } from '../chain/findings.ts'
import type { ServedChain } from '../chain/servedChain.ts'
import { toPoolSettings } from '../settings/poolSettings.ts'
import { createOpenChain } from './openChain.ts'
import { openKeys } from './openKeys.ts'
import type { ChainHost } from './startService.ts'

const open = async (config: Config, host: ChainHost, resources: ResourceStack): Promise<ServedChain> => {
  assertSnapshotThere(config)
  const options = toGatewayOptions(config)
  const lockWaits = new LockWaitStats()
  const keys = openKeys(config, [], lockWaits)
  resources.own('keys', () => keys.close())
  // The thread that writes blocks measures for itself: it waits while there is no space, and tries again.
  const disk = new WriteGate({ folder: config.home, minFreeBytes: config.minFreeSpace }, { log: host.log })
  resources.own('watch of the disk', () => disk.stop())
  const gateway = await startGateway(
    {
      ...options,
      assertWritable: () => disk.assertOpen(),
      isInteractive: host.isInteractive,
      onCommitFailed: host.onCommitFailed ?? ((reason) => host.onFatal(badFile(reason))),
    },
    host.log,
  )
  resources.own('gateway', () => gateway.close())
  return {
    chain: gateway.chain,
    lockWaits,
    readyFields: {},
    keys,
    welcome: undefined,
    workerStats: undefined,
    engineStats: undefined,
    aheadStats: () => ({ used: 0, dropped: 0 }),
    poolStats: gateway.poolStats,
    gatewayStats: () => ({
      ...gateway.stats(),
      fleet: gateway.fleet?.stats(),
    }),
    keepsFilters: gateway.fleet === undefined,
    sharedFilters: gateway.fleet?.filters,
    shareKeys: (find) => gateway.fleet?.keys.start(find),
    isReady: () => gateway.isSynced(),
    findProblem: () => findProblem(gateway, disk) ?? findAwayDatabase(config, gateway),
    findWarning: () => gateway.fleet?.findProblem(),
    diskStats: () => ({ ...disk.stats(), freeBytes: freeBytes(config.home) }),
    close: () => resources.closeAll(),
  }
}

/** Throws if the file is missing with which a new home begins: the nodes would be asked for all blocks instead. */
const assertSnapshotThere = ({ home, gateway: { bootstrap } }: Config): void => {
  if (bootstrap === undefined || meansHttpUrl(bootstrap) || hasChainFile(home)) return
  try {
    accessSync(bootstrap, constants.R_OK)
  } catch (error) {
    throw badFile(
      `the snapshot of gateway.bootstrap cannot be read (${(error as NodeJS.ErrnoException).code}): name a file that this user can read`,
    )
  }
}

const findProblem = (gateway: Gateway, disk: WriteGate): Finding | undefined => {
  if (disk.problem !== undefined) return { reason: 'disk', problem: disk.problem }
  const problem = gateway.problem()
  if (problem !== undefined) return problem
  return gateway.hasFailed() ? { reason: 'store', problem: 'the chain is not followed any more' } : undefined
}

/** Returns that the database of the fleet is away, where the operator wants that to count. */
const findAwayDatabase = (config: Config, { fleet }: Gateway): Finding | undefined =>
  config.gateway.readyNeedsDatabase && fleet?.awayReason !== undefined
    ? { reason: 'database', problem: 'the database of the fleet is away' }
    : undefined

/** Returns the options of a gateway with these settings. */
export const toGatewayOptions = (config: Config): GatewayOptions => ({
  home: config.home,
  gateway: config.gateway,
  forks: readForks(config.gateway.forks),
  jsonRpc: config.jsonRpc,
  minimumGasPrice: config.minimumGasPrices,
  appearances: config.index.appearances,
  retainedBlocks: config.minRetainBlocks,
  minFreeBytes: config.minFreeSpace,
  pool: toPoolSettings(config),
})

const maxForksBytes = 10 * 2 ** 20

const readForks = (path: string | undefined): unknown => {
  if (path === undefined) return undefined
  try {
    return JSON.parse(readTextFile(path, maxForksBytes))
  } catch (error) {
    throw badFile(`the file of forks cannot be read: ${(error as Error).message}`)
  }
}

/** Detects the chain behind the upstreams of the configuration and follows it. */
export const openGateway = createOpenChain({
  what: 'gateway',
  // The code says whether it helps to try again.
  exitCodes: {
    NativeQueryError: exitCodes.noUpstream,
    UpstreamError: exitCodes.noUpstream,
    DetectionError: exitCodes.badConfig,
    StoreError: exitCodes.badConfig,
    TrustError: exitCodes.badConfig,
    LowSpaceError: exitCodes.badFile,
    PoisonedError: exitCodes.badFile,
    DamagedFileError: exitCodes.badFile,
    UnusableFileError: exitCodes.badFile,
  },
  open,
})
